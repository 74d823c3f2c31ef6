// Runs as a thread of a process for WebAssembly, whose main thread may never return: ends the process when the thread that started it is
// gone, or when its memory is used up. That thread limits its CPU time.
import { read } from 'node:fs';
import { workerData } from 'node:worker_threads';

const lookMs = 20;
/** A pipe that the thread before this process never writes to: it is closed when that thread ends, however it does. */
const parent = 3;
const residentBytes = workerData as number;

const end = (): void => void process.kill(process.pid, 'SIGKILL');
read(parent, Buffer.alloc(1), 0, 1, null, end);
setInterval(() => {
  if (process.memoryUsage.rss() > residentBytes) end();
}, lookMs);
