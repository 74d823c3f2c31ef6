// Loaded into each process of tests. Node closes what a process leaves open before it ends. A connection that is halfway closed can keep
// it there for ever, at full load and past all timers; to exit outright skips that.
import { isMainThread } from 'node:worker_threads';

let isEnding = false;
if (isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined)
  process.on('beforeExit', () => {
    if (!isEnding) process.once('exit', () => process.exit());
    isEnding = true;
  });
