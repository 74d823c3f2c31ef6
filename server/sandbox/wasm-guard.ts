// Runs as a thread of a WebAssembly process, whose main thread may never return: ends the process when the thread that
// started it has gone, or when its memory limit is exceeded. That thread limits the CPU time.
import { read } from 'node:fs';
import { workerData } from 'node:worker_threads';

const lookMs = 20;
/** A pipe to which the starting thread never writes: it is closed when that thread ends in any way. */
const parent = 3;
const residentBytes = workerData as number;

const end = (): void => void process.kill(process.pid, 'SIGKILL');
read(parent, Buffer.alloc(1), 0, 1, null, end);
setInterval(() => {
  if (process.memoryUsage.rss() > residentBytes) end();
}, lookMs);
