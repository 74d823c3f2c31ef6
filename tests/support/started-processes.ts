import { readdirSync, readFileSync } from 'node:fs';

/** The processes started by any thread of this one whose command names the module, such as `view-process`. */
export function listStarted(module: string): number[] {
  return readdirSync('/proc/self/task')
    .flatMap((task) => read(`/proc/self/task/${task}/children`).split(' '))
    .filter((pid) => pid !== '' && read(`/proc/${pid}/cmdline`).includes(module))
    .map(Number);
}

/** Kills them. Only these, because tests share a process: an S3 server that others use may be its child, too. */
export function killStarted(module: string): void {
  for (const pid of listStarted(module)) process.kill(pid, 'SIGKILL');
}

/** Empty if the thread or process has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
