// The costs of test files: printed, and stored to order the next run.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StartCost } from '../../tests/support/test-costs.ts';
import type { FileCost } from './lane.ts';
import type { TestRun } from './runner.ts';

const memory = fileURLToPath(new URL('../../node_modules/.cache/test-costs.json', import.meta.url));
/** Estimate for files that have not run here: seconds per byte of their source. */
const SECONDS_PER_BYTE = 1 / 2_000;
const DEAREST = 10;

/** The most expensive first, so that none of them is still running when all others have ended. */
export function orderByCost(files: readonly string[]): string[] {
  const known = readCosts();
  const costOf = (file: string) => known[file]?.wall ?? statSync(file).size * SECONDS_PER_BYTE;
  return files.toSorted((a, b) => costOf(b) - costOf(a));
}

export function rememberCosts(costs: readonly FileCost[]): void {
  const known = {
    ...readCosts(),
    ...Object.fromEntries(costs.map(({ file, begunAt, wall }) => [file, { begunAt, wall }])),
  };
  mkdirSync(dirname(memory), { recursive: true });
  writeFileSync(memory, JSON.stringify(known));
}

type Known = { begunAt: number; wall: number };

/** File → when it last started (as of `Date.now`), and the wall-clock seconds that it took. */
function readCosts(): Record<string, Known> {
  try {
    return JSON.parse(readFileSync(memory, 'utf8')) as Record<string, Known>;
  } catch {
    return {};
  }
}

/** The cost of a run, the most expensive files, the kinds of starts, and what was skipped and why. */
export function summaryOf(result: TestRun, { seconds, cpuSeconds }: { seconds: number; cpuSeconds: number }): string {
  const { costs, skipped, passed, failed } = result;
  const starts = [...sumOfStarts(costs)];
  const lines = [
    '',
    `${costs.length} files in ${seconds.toFixed(0)} s, ${cpuSeconds.toFixed(0)} CPU seconds. The most expensive files (CPU seconds of their process + its children, wall time):`,
    ...costs
      .toSorted((a, b) => cpuOf(b) - cpuOf(a))
      .slice(0, DEAREST)
      .map(
        ({ file, own, children, wall }) =>
          `  ${own.toFixed(1).padStart(6)} + ${children.toFixed(1).padStart(6)}  ${wall.toFixed(1).padStart(6)} s  ${file}`,
      ),
    ...(starts.length === 0 ? [] : ['Started processes (count, CPU seconds and wall time until ready):']),
    ...starts.map(
      ([kind, { count, cpu, wall }]) =>
        `  ${String(count).padStart(6)}  ${cpu.toFixed(1).padStart(6)}  ${wall.toFixed(1).padStart(6)} s  ${kind}`,
    ),
  ];
  const skips = [...skipped].toSorted(([, a], [, b]) => b - a);
  if (skips.length > 0)
    lines.push('Skipped:', ...skips.map(([reason, count]) => `  ${String(count).padStart(6)}  ${reason}`));
  const list = (title: string, files: ReadonlyMap<string, readonly string[]>) => {
    if (files.size > 0) lines.push(title, ...[...files].map(([file, names]) => `  ${file}: ${names.join('; ')}`));
  };
  list('flaky (failed among others, passed alone; see both outputs above):', result.flaky);
  list('FAILED:', result.failures);
  if (result.notBegun.length > 0)
    lines.push(
      'Not started, because time ran out or no process could run them:',
      ...result.notBegun.map((file) => `  ${file}`),
    );
  const sum = skips.reduce((all, [, count]) => all + count, 0);
  return [...lines, '', `tests: ${passed} passed, ${failed} failed, ${sum} skipped`].join('\n');
}

const cpuOf = ({ own, children }: FileCost) => own + children;

function sumOfStarts(costs: readonly FileCost[]): Map<string, StartCost> {
  const sum = new Map<string, StartCost>();
  for (const [kind, cost] of costs.flatMap(({ starts }) => Object.entries(starts))) {
    const { count, cpu, wall } = sum.get(kind) ?? { count: 0, cpu: 0, wall: 0 };
    sum.set(kind, { count: count + cost.count, cpu: cpu + cost.cpu, wall: wall + cost.wall });
  }
  return new Map([...sum].toSorted(([, a], [, b]) => b.cpu - a.cpu));
}
