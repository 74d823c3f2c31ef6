// Selects the test files of a run.
import { findChanges } from './changes.ts';
import { orderByCost } from './costs.ts';
import { hasLongParts, listTestFiles } from './files.ts';
import { readGraph } from './import-graph.ts';
import { UsageProblem } from './usage-problem.ts';

export type Selection = {
  /** In starting order. */
  files: string[];
  /** What was selected and why, for people; undefined if all. */
  note?: string;
};

export type SelectionOptions = {
  /** For `npm run test:long`, not `npm test`. */
  isLong: boolean;
  /** Files whose path contains one of these texts; all files if empty. */
  paths: readonly string[];
  /** Only files that a change can affect: since this commit, or since the branch diverged from the shared one. */
  changed: string | boolean;
  /** Whether the time may run out before all are done: then the files nearest to the change start first. */
  isLimited: boolean;
};

/** Throws UsageProblem for a path that no test file has. */
export function selectFiles({ isLong, paths, changed, isLimited }: SelectionOptions): Selection {
  const all = listTestFiles({ isLong }).filter((file) => !isLong || hasLongParts(file));
  const unknown = paths.filter((text) => !all.some((file) => file.includes(text)));
  if (unknown.length > 0) throw new UsageProblem(problemOf(unknown, isLong));
  const named = paths.length === 0 ? all : all.filter((file) => paths.some((text) => file.includes(text)));
  if (changed === false) return { files: orderByCost(named) };
  const changes = findChanges(changed === true ? undefined : changed);
  const reach = readGraph().reachOf(changes.files);
  const since = `${changes.files.length} files changed since ${changes.base}`;
  if ('all' in reach)
    return { files: orderByCost(named), note: `${since}; all ${named.length} test files run: ${reach.all}.` };
  const reached = orderByCost(named.filter((file) => reach.files.has(file)));
  const distanceOf = (file: string) => reach.files.get(file) ?? Infinity;
  return {
    files: isLimited ? reached.toSorted((a, b) => distanceOf(a) - distanceOf(b)) : reached,
    note: [
      ...listed('Skipped, because they do not import the changed files:', named, reached),
      `${since}; they affect ${reached.length} of ${named.length} test files.`,
    ].join('\n'),
  };
}

function problemOf(unknown: readonly string[], isLong: boolean): string {
  const others = listTestFiles({ isLong: !isLong }).filter((file) => isLong || hasLongParts(file));
  const isThere = unknown.some((text) => others.some((file) => file.includes(text)));
  const hint = isThere ? ` ${isLong ? 'npm test' : 'npm run test:long'} has one.` : '';
  return `No test file has a path that contains ${unknown.join(' or ')}.${hint}`;
}

function listed(title: string, all: readonly string[], taken: readonly string[]): string[] {
  const left = all.filter((file) => !taken.includes(file));
  return left.length === 0 ? [] : [title, ...left.map((file) => `  ${file}`)];
}
