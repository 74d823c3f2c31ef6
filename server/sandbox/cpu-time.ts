import { readFileSync } from 'node:fs';

const tickMs = 10;

/** CPU time of a process on Linux; undefined if it has ended. */
export function processCpuMs(pid: number): number | undefined {
  return cpuMsOf(`/proc/${pid}/stat`);
}

/** CPU time of a thread of this process on Linux; undefined if it has ended or its id is unknown. */
export function threadCpuMs(tid: number): number | undefined {
  return tid === 0 ? undefined : cpuMsOf(`/proc/self/task/${tid}/stat`);
}

/** User and system time are fields 14 and 15 (proc(5)); field 2, the name, may contain spaces. */
function cpuMsOf(path: string): number | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return undefined;
  }
}
