import { readdir, readFile } from 'node:fs/promises';

/** CPU seconds by what they were spent on. */
export type CpuTimes = ReadonlyMap<string, number>;

/** The main thread of a process: a server's event loop. */
export const mainThread = 'main thread';

/** Threads by their names in the system, which are cut after 15 characters. */
const roles: readonly [namePrefix: string, role: string][] = [
  ['sqlite-writer', 'SQL writer'],
  ['sqlite-scanner', 'SQL scanner'],
  ['sha256-', 'SHA-256'],
  ['libuv-worker', 'thread pool'],
  ['V8Worker', 'V8'],
  ['run-worker', 'workers'],
  ['DelayedTaskSche', 'V8'],
];

/**
 * CPU time of each thread of a process so far, exact to the nanosecond where `/proc` has it (Linux with scheduler
 * statistics).
 */
export async function readCpuTimes(pid: number): Promise<CpuTimes> {
  const times = new Map<string, number>();
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    try {
      const name = (await readFile(`${folder}/comm`, 'utf8')).trim();
      const [nanoseconds = '0'] = (await readFile(`${folder}/schedstat`, 'utf8')).split(' ');
      const role = Number(thread) === pid ? mainThread : roleOf(name);
      times.set(role, (times.get(role) ?? 0) + Number(nanoseconds) / 1e9);
    } catch (error) {
      // The thread has ended since.
      if (!['ENOENT', 'ESRCH'].includes((error as { code?: string }).code ?? '')) throw error;
    }
  }
  return times;
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
