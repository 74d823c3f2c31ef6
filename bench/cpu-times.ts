import { readdir, readFile } from 'node:fs/promises';

/** CPU seconds by purpose. */
export type CpuTimes = ReadonlyMap<string, number>;

/** The main thread of a process: a server's event loop. */
export const mainThread = 'main thread';

/** Purposes of threads by their names in the kernel, which are truncated to 15 characters. */
const roles: readonly [namePrefix: string, role: string][] = [
  ['sqlite-writer', 'SQL writer'],
  ['sqlite-scanner', 'SQL scanner'],
  ['sha256-', 'SHA-256'],
  ['libuv-worker', 'thread pool'],
  ['V8Worker', 'V8'],
  ['run-worker', 'workers'],
  ['sandbox', 'sandbox threads'],
  ['DelayedTaskSche', 'V8'],
];

/** Threads that have ended since, for example those of a closed database. */
const endedThreads = 'ended threads';
const ticksPerSecond = 100;

/**
 * CPU time of each thread of a process so far, exact to the nanosecond if `/proc` has it (Linux with scheduler
 * statistics). The time of ended threads is known to 10 ms, from the times of the whole process.
 */
export async function readCpuTimes(pid: number): Promise<CpuTimes> {
  const times = new Map<string, number>();
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    const name = (await unlessGone(readFile(`${folder}/comm`, 'utf8'), '')).trim();
    const [nanoseconds = '0'] = (await unlessGone(readFile(`${folder}/schedstat`, 'utf8'), '0')).split(' ');
    const role = Number(thread) === pid ? mainThread : roleOf(name);
    times.set(role, (times.get(role) ?? 0) + Number(nanoseconds) / 1e9);
  }
  const ended = (await readProcessSeconds(pid)) - totalOf(times);
  if (ended > 1 / ticksPerSecond) times.set(endedThreads, ended);
  return times;
}

/** User and system time of a process, including all its threads so far. */
async function readProcessSeconds(pid: number): Promise<number> {
  const stat = await unlessGone(readFile(`/proc/${pid}/stat`, 'utf8'), '');
  // The name of the process, in parentheses, may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticksPerSecond;
}

/** The same, with all descendants of the process as one role; they count until they end. */
export async function readTreeCpuTimes(pid: number): Promise<CpuTimes> {
  const times = new Map(await readCpuTimes(pid));
  for (const child of await childrenOf(pid)) {
    const spent = totalOf(await unlessGone(readTreeCpuTimes(child), new Map()));
    times.set('child processes', (times.get('child processes') ?? 0) + spent);
  }
  return times;
}

/** Each thread lists the child processes that it started. */
async function childrenOf(pid: number): Promise<number[]> {
  const lists: string[] = [];
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    lists.push(await unlessGone(readFile(`/proc/${pid}/task/${thread}/children`, 'utf8'), ''));
  }
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Reads something of a process or a thread that may end meanwhile. */
async function unlessGone<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes((error as { code?: string }).code ?? '')) throw error;
    return otherwise;
  }
}

function roleOf(name: string): string {
  return roles.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 'other';
}

export function cpuBetween(before: CpuTimes, after: CpuTimes): CpuTimes {
  return new Map([...after].map(([role, seconds]) => [role, seconds - (before.get(role) ?? 0)]));
}

export function totalOf(times: CpuTimes): number {
  return [...times.values()].reduce((sum, seconds) => sum + seconds, 0);
}
