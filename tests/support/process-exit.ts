// Preloaded into each test process. Before a process ends, Node closes what it left open. A half-closed connection can make that spin
// forever, at full load and past all timers; exiting immediately avoids it.
import { isMainThread } from 'node:worker_threads';

let isEnding = false;
if (isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined)
  process.on('beforeExit', () => {
    if (!isEnding) process.once('exit', () => process.exit());
    isEnding = true;
  });
