import { readFileSync } from 'node:fs';

const tickMs = 10;

/** CPU time of a process on Linux; undefined when it is gone. */
export function processCpuMs(pid: number): number | undefined {
  return cpuMsOf(`/proc/${pid}/stat`);
}

/** CPU time of a thread of this process on Linux; undefined when it is gone or its number is unknown. */
export function threadCpuMs(tid: number): number | undefined {
  return tid === 0 ? undefined : cpuMsOf(`/proc/self/task/${tid}/stat`);
}

/** User and system time in the 14th and 15th field (proc(5)); the second one, the name, may hold spaces. */
function cpuMsOf(path: string): number | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return undefined;
  }
}
