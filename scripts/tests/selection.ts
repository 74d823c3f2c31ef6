// Which files of tests a run takes.
import { findChanges } from './changes.ts';
import { orderByCost } from './costs.ts';
import { hasLongParts, listTestFiles } from './files.ts';
import { readGraph } from './import-graph.ts';

export type Selection = {
  /** In the order in which they begin. */
  files: string[];
  /** What was chosen and why, for people; undefined for all. */
  note?: string;
};

export type SelectionOptions = {
  /** Of `npm run test:long`, not of `npm test`. */
  isLong: boolean;
  /** Files whose path holds one of these texts; all, if there is none. */
  paths: readonly string[];
  /** Files that a change can reach: since this commit, or since the branch left the one that others have. */
  changed: string | boolean;
  /** Whether the time may be over before all are done: then those nearest to the change begin. */
  isLimited: boolean;
};

export function selectFiles({ isLong, paths, changed, isLimited }: SelectionOptions): Selection {
  const all = listTestFiles({ isLong }).filter((file) => !isLong || hasLongParts(file));
  const named = paths.length === 0 ? all : all.filter((file) => paths.some((text) => file.includes(text)));
  if (changed === false) return { files: orderByCost(named) };
  const changes = findChanges(changed === true ? undefined : changed);
  const reach = readGraph().reachOf(changes.files);
  const since = `${changes.files.length} files changed since ${changes.base}`;
  if ('all' in reach)
    return { files: orderByCost(named), note: `${since}; all ${named.length} files of tests run: ${reach.all}.` };
  const reached = orderByCost(named.filter((file) => reach.files.has(file)));
  const distanceOf = (file: string) => reach.files.get(file) ?? Infinity;
  return {
    files: isLimited ? reached.toSorted((a, b) => distanceOf(a) - distanceOf(b)) : reached,
    note: [
      `${since}; they reach ${reached.length} of ${named.length} files of tests.`,
      ...listed('Left out, because no import leads from them to the change:', named, reached),
    ].join('\n'),
  };
}

function listed(title: string, all: readonly string[], taken: readonly string[]): string[] {
  const left = all.filter((file) => !taken.includes(file));
  return left.length === 0 ? [] : [title, ...left.map((file) => `  ${file}`)];
}
