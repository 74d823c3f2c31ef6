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

export type LaneEvent = { kind: 'begun'; file: string } | ({ kind: 'ended' } & FileCost);

/** A lane that has used as much ends, and another process goes on: what tests leave in memory must not add up. */
const MOST_CPU_SECONDS = 120;
const MOST_BYTES = 1.5 * 2 ** 30;

/** Takes files that no other lane has taken, until there are none. `isLast`: no other process goes on after this one. */
export async function runLane(planFile: string, isLast: boolean): Promise<void> {
  const { files, marks, events, until = Infinity } = readPlan(planFile);
  for (const [index, file] of files.entries()) {
    if (Date.now() > until || (!isLast && isSpent())) break;
    if (take(join(marks, String(index)))) await runFile(file, events);
  }
  await endShared();
}

/** Runs a file that needs its process for itself. */
export async function runAlone(planFile: string, file: string): Promise<void> {
  const { events, until = Infinity } = readPlan(planFile);
  if (Date.now() <= until) await runFile(file, events);
  await endShared();
}

const readPlan = (planFile: string) => JSON.parse(readFileSync(planFile, 'utf8')) as LanePlan;

async function runFile(file: string, events: string): Promise<void> {
  const note = (event: LaneEvent) => appendFileSync(events, `${JSON.stringify(event)}\n`);
  note({ kind: 'begun', file });
  const before = cpuTime();
  const begunAt = Date.now();
  const started = performance.now();
  try {
    await suite(file, { timeout: fileTimeLimitMs }, async () => {
      await import(pathToFileURL(resolve(file)).href);
    });
  } finally {
    const { own, children } = cpuTime();
    const wall = (performance.now() - started) / 1000;
    const cost = { begunAt, own: own - before.own, children: children - before.children, wall };
    note({ kind: 'ended', file, ...cost, starts: takeStarts() });
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
