// The CPU cost of tests: per file, and per kind of thing that they start.
import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** CPU seconds of this process with all its threads, and of its children: ended ones and running ones. */
export type CpuTime = { own: number; ended: number; running: number };

/** What tests start, the most expensive first. */
export type StartKind = 'browser' | 'service as a process' | 'command' | 'service' | 'engine' | 'database';

/** How often something was started, and what it cost until it was ready: CPU seconds and wall-clock seconds. */
export type StartCost = { count: number; cpu: number; wall: number };

/** The kernel counts the time of children in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Kinds that run as processes: their time is that of running children, too. */
const processKinds: ReadonlySet<StartKind> = new Set(['browser', 'service as a process', 'command']);

/** From the kernel's accounting; without `/proc`, children count as nothing. Takes some 10 ms: it looks at all processes. */
export function cpuTime(): CpuTime {
  return { own: ownCpuSeconds(), ended: readStat('self')?.ended ?? 0, running: timeOfRunningChildren() };
}

/** CPU seconds of this process with all its threads, without children. */
export function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** A process: its parent, and the CPU seconds of itself and of its ended children. */
type Stat = { parent: number; own: number; ended: number };

function readStat(process: string): Stat | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${process}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // After the name of the program, which may contain blanks: `state ppid … utime stime cutime cstime`.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const seconds = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) / TICKS_PER_SECOND;
  return { parent: Number(fields[1]), own: seconds(11), ended: seconds(13) };
}

function timeOfRunningChildren(): number {
  const stats = new Map<number, Stat>();
  for (const name of listProcesses()) {
    const stat = readStat(name);
    if (stat !== undefined) stats.set(Number(name), stat);
  }
  const isBelow = (parent: number): boolean =>
    parent === process.pid || (stats.has(parent) && isBelow(stats.get(parent)?.parent ?? 0));
  let seconds = 0;
  for (const { parent, own, ended } of stats.values()) if (isBelow(parent)) seconds += own + ended;
  return seconds;
}

function listProcesses(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

export function cpuSecondsSince(earlier: CpuTime): number {
  return sum(cpuTime()) - sum(earlier);
}

const sum = ({ own, ended, running }: CpuTime) => own + ended + running;

let starts: Partial<Record<StartKind, StartCost>> = {};

/** Counts the cost of `start` until its promise is fulfilled, including anything else that this process does meanwhile. */
export async function countStart<T>(kind: StartKind, start: () => Promise<T>): Promise<T> {
  const read = () => (processKinds.has(kind) ? sum(cpuTime()) : ownCpuSeconds() + (readStat('self')?.ended ?? 0));
  const before = read();
  const started = performance.now();
  try {
    return await start();
  } finally {
    const cost = (starts[kind] ??= { count: 0, cpu: 0, wall: 0 });
    cost.count += 1;
    cost.cpu += read() - before;
    cost.wall += (performance.now() - started) / 1000;
  }
}

/** Returns the starts since the last call. */
export function takeStarts(): Partial<Record<StartKind, StartCost>> {
  const taken = starts;
  starts = {};
  return taken;
}
