// Runs test files one after another in one process: what they import is loaded once, and compiled code stays warm.
import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { endShared } from '../../tests/support/process-end.ts';
import { cpuTime, takeStarts, type StartCost, type StartKind } from '../../tests/support/test-costs.ts';
import { fileTimeLimitMs } from '../test-limits.ts';

/** What all processes of a run share. */
export type LanePlan = {
  /** Paths from the checkout, in the order in which lanes take them. */
  files: readonly string[];
  /** A folder with a mark for each file that has been taken. */
  marks: string;
  /** The file to which processes append what happened, a line of JSON for each `LaneEvent`. */
  events: string;
  /** The time (as of `Date.now`) after which no more files are taken. */
  until?: number;
  /** A process that has run its last file may take that long to end. */
  patienceMs: number;
};

/** What a file cost: CPU seconds of its process and of the children of that, and seconds of the clock. */
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
  | { kind: 'begun'; file: string; pid: number }
  | ({ kind: 'ended' } & FileCost)
  /** Nothing keeps the process any more in the midst of a file: a test waits for what never comes. */
  | { kind: 'drained'; pid: number }
  /** A process has run its last file: its CPU seconds, with those of its children. */
  | { kind: 'done'; cpu: number }
  /** It has not ended since, because something is open. */
  | { kind: 'stuck'; files: string[]; open: string };

/** A lane that has used as much ends, and another process goes on: what tests leave in memory must not add up. */
const MOST_CPU_SECONDS = 120;
const MOST_BYTES = 1.5 * 2 ** 30;

/** Takes files that no other lane has taken, until there are none. `isLast`: no other process goes on after this one. */
export async function runLane(planFile: string, isLast: boolean): Promise<void> {
  const plan = readPlan(planFile);
  const { files, marks, events, until = Infinity } = plan;
  const taken: string[] = [];
  for (const [index, file] of files.entries()) {
    if (Date.now() > until || (!isLast && isSpent())) break;
    if (!take(join(marks, String(index)))) continue;
    taken.push(file);
    await runFile(file, events);
  }
  await finish(taken, plan);
}

/** Runs files that need a process for themselves. */
export async function runTogether(planFile: string, files: readonly string[]): Promise<void> {
  const plan = readPlan(planFile);
  const begun: string[] = [];
  for (const file of files) {
    if (Date.now() > (plan.until ?? Infinity)) break;
    begun.push(file);
    await runFile(file, plan.events);
  }
  await finish(begun, plan);
}

/** Ends what the files have shared. A process that does not end then is ended, and fails: something that they opened is still there. */
async function finish(files: string[], { events, patienceMs }: LanePlan): Promise<void> {
  const { own, ended, running } = cpuTime();
  note(events, { kind: 'done', cpu: own + ended + running });
  await endShared();
  setTimeout(() => {
    const kinds = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind));
    const open = kinds.map(([kind, all]) => `${all?.length ?? 0} ${kind}`).join(', ');
    note(events, { kind: 'stuck', files, open });
    process.exit(1);
  }, patienceMs).unref();
}

const note = (events: string, event: LaneEvent) => appendFileSync(events, `${JSON.stringify(event)}\n`);

const readPlan = (planFile: string) => JSON.parse(readFileSync(planFile, 'utf8')) as LanePlan;

async function runFile(file: string, events: string): Promise<void> {
  note(events, { kind: 'begun', file, pid: process.pid });
  const drained = () => note(events, { kind: 'drained', pid: process.pid });
  process.prependListener('beforeExit', drained);
  const before = cpuTime();
  const begunAt = Date.now();
  const started = performance.now();
  try {
    await suite(file, { timeout: fileTimeLimitMs() }, async () => {
      await import(pathToFileURL(resolve(file)).href);
    });
  } finally {
    process.off('beforeExit', drained);
    const after = cpuTime();
    const wall = (performance.now() - started) / 1000;
    const children = after.ended + after.running - before.ended - before.running;
    const cost = { begunAt, own: after.own - before.own, children, wall };
    note(events, { kind: 'ended', file, ...cost, starts: takeStarts() });
  }
}

function isSpent(): boolean {
  return cpuTime().own > MOST_CPU_SECONDS || process.memoryUsage.rss() > MOST_BYTES;
}

/** Whether the mark was not there. */
function take(mark: string): boolean {
  try {
    closeSync(openSync(mark, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
