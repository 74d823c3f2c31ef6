// Runs as a thread of a reader process, which may be busy for ever: ends it when a document takes too long or too much memory,
// or when nobody is left to hear the answer.
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

/** Of the whole process: a machine that is busy with other things makes no document late. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.floor((user + system) / 1000);
}
