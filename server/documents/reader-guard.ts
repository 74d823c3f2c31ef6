// Runs as a thread of a reader process, whose main thread may never return: ends the process if a document takes too
// much time or memory, or if the parent process is gone.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { guardSlots, guardWords, type ReaderLimits } from './reader-protocol.ts';

export type GuardSetup = ReaderLimits & { shared: SharedArrayBuffer; parentPid: number };

const lookMs = 50;
const { shared, timeoutMs, maxResidentBytes, parentPid } = workerData as GuardSetup;
const slots = new Int32Array(shared);

setInterval(() => {
  if (process.ppid !== parentPid) end();
  if (Atomics.load(slots, guardSlots.reading) === 0) return;
  if (process.memoryUsage.rss() > maxResidentBytes) end(guardWords.memory);
  if (cpuMs() - Atomics.load(slots, guardSlots.startedCpuMs) > timeoutMs) end(guardWords.time);
}, lookMs);

function end(words?: string): void {
  if (words !== undefined) writeSync(2, `${words}\n`);
  process.kill(process.pid, 'SIGKILL');
}

/** CPU time of the process, which excludes load by other processes. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.floor((user + system) / 1000);
}
