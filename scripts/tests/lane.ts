// Runs test files one after another in one process: shared imports are loaded once, and compiled code stays warm.
import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { endShared } from '../../tests/support/process-end.ts';
import {
  cpuTime,
  ownCpuSeconds,
  takeStarts,
  type CpuTime,
  type StartCost,
  type StartKind,
} from '../../tests/support/test-costs.ts';
import { fileTimeLimitMs } from '../test-limits.ts';
import { needsOwnProcess } from './files.ts';
import { watchProcess } from './process-changes.ts';

/** The plan that all processes of a run share. */
export type LanePlan = {
  /** Paths from the checkout, in the order in which lanes take them. */
  files: readonly string[];
  /** A folder with a mark for each file that a lane has taken. */
  marks: string;
  /** The file to which processes append their events, a JSON line per `LaneEvent`. */
  events: string;
  /** The time (as of `Date.now`) after which no more files are taken. */
  until?: number;
  /** Time limit for a process to exit after its last file. */
  patienceMs: number;
};

/** The cost of a file: CPU seconds of its process and of that process's children, and wall-clock seconds. */
export type FileCost = {
  file: string;
  /** As of `Date.now`. */
  begunAt: number;
  own: number;
  children: number;
  wall: number;
  starts: Partial<Record<StartKind, StartCost>>;
};

export type LaneEvent =
  | { kind: 'begun'; file: string; pid: number; entry: string }
  | ({ kind: 'ended' } & FileCost)
  /** The file set an exit code, as Node does for an error after the end of its test, which it counts as no test's failure. */
  | { kind: 'late'; file: string }
  /** The file called `process.exit`; `call` says where. */
  | { kind: 'exit'; file: string; call: string }
  /** The file changed its process for the files after it, which the lane has undone. */
  | { kind: 'changed'; file: string; what: string[] }
  /** The event loop is empty in the middle of a file: a test waits for something that never happens. */
  | { kind: 'drained'; pid: number }
  /** A process has run its last file: its CPU seconds, including its children. */
  | { kind: 'done'; cpu: number }
  /** It has not exited since, because a resource is open. */
  | { kind: 'stuck'; files: string[]; open: string };

/** A lane that has used this much exits, and another process continues: memory leaked by tests must not add up. */
const MOST_CPU_SECONDS = 120;
const MOST_BYTES = 1.5 * 2 ** 30;

/** Runs files that no other lane has taken, until none are left. `isLast`: no other process follows this one. */
export async function runLane(planFile: string, isLast: boolean): Promise<void> {
  const plan = readPlan(planFile);
  const { files, marks, events, until = Infinity } = plan;
  const taken: string[] = [];
  const atStart = openResources();
  let time = cpuTime();
  for (const [index, file] of files.entries()) {
    if (Date.now() > until || (!isLast && isSpent())) break;
    if (!take(join(marks, String(index)))) continue;
    taken.push(file);
    time = await runFile(file, events, time);
  }
  await finish(taken, plan, { time, atStart });
}

/** Runs files that need their own process. */
export async function runTogether(planFile: string, files: readonly string[]): Promise<void> {
  const plan = readPlan(planFile);
  const begun: string[] = [];
  const atStart = openResources();
  let time = cpuTime();
  for (const file of files) {
    if (Date.now() > (plan.until ?? Infinity)) break;
    begun.push(file);
    time = await runFile(file, plan.events, time);
  }
  await finish(begun, plan, { time, atStart });
}

/** Ends what the files have shared. If the process does not exit then, it is ended and fails: a test has left a resource open. */
async function finish(
  files: string[],
  { events, patienceMs }: LanePlan,
  { time, atStart }: { time: CpuTime; atStart: ReadonlyMap<string, number> },
): Promise<void> {
  const { own, ended, running } = time;
  note(events, { kind: 'done', cpu: own + ended + running });
  await endShared();
  setTimeout(() => {
    const added = [...openResources()].map(([kind, count]) => [kind, count - (atStart.get(kind) ?? 0)] as const);
    const open = added.flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : [])).join(', ');
    note(events, { kind: 'stuck', files, open });
    process.exit(1);
  }, patienceMs).unref();
}

/** Kinds of open resources and their numbers, also of those that each process has, such as its pipes. */
function openResources(): ReadonlyMap<string, number> {
  const kinds = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  return new Map([...kinds].map(([kind, all]) => [kind, all.length]));
}

const note = (events: string, event: LaneEvent) => appendFileSync(events, `${JSON.stringify(event)}\n`);

const readPlan = (planFile: string) => JSON.parse(readFileSync(planFile, 'utf8')) as LanePlan;

/** Returns the CPU time after the file; `before` is that after the file before it. */
async function runFile(file: string, events: string, before: CpuTime): Promise<CpuTime> {
  note(events, { kind: 'begun', file, pid: process.pid, entry: basename(process.argv[1] ?? '') });
  const drained = () => note(events, { kind: 'drained', pid: process.pid });
  process.prependListener('beforeExit', drained);
  const changes = watchProcess((call) => note(events, { kind: 'exit', file, call }));
  const begunAt = Date.now();
  const started = performance.now();
  try {
    await suite(file, { timeout: fileTimeLimitMs() }, async () => {
      await import(pathToFileURL(resolve(file)).href);
    });
  } finally {
    process.off('beforeExit', drained);
  }
  const changed = changes.undo();
  if (changed.length > 0 && !needsOwnProcess(file)) note(events, { kind: 'changed', file, what: changed });
  if (process.exitCode !== undefined) {
    note(events, { kind: 'late', file });
    process.exitCode = undefined;
  }
  const after = cpuTime();
  const wall = (performance.now() - started) / 1000;
  const children = after.ended + after.running - before.ended - before.running;
  const cost = { begunAt, own: after.own - before.own, children, wall };
  note(events, { kind: 'ended', file, ...cost, starts: takeStarts() });
  return after;
}

function isSpent(): boolean {
  return ownCpuSeconds() > MOST_CPU_SECONDS || process.memoryUsage.rss() > MOST_BYTES;
}

/** Creates the mark; returns whether it did not exist. */
function take(mark: string): boolean {
  try {
    closeSync(openSync(mark, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
