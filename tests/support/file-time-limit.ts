// Loaded into the process of each test file: one that never ends fails with what keeps it alive, instead of blocking the run.
import { isMainThread } from 'node:worker_threads';
import { fileTimeLimitMs } from '../../scripts/test-limits.ts';

if (isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined)
  setTimeout(() => {
    const kept = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind));
    const resources = kept.map(([kind, all]) => `${all?.length ?? 0} ${kind}`).join(', ');
    console.error(
      `${process.argv[1]} has not ended after ${fileTimeLimitMs / 1000} s. It is kept alive by: ${resources}.`,
    );
    process.exit(1);
  }, fileTimeLimitMs).unref();

// Node closes what a process leaves open before it ends. A connection that is halfway closed can keep it there for ever, at
// full load and past all timers; to exit outright skips that.
let isEnding = false;
if (isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined)
  process.on('beforeExit', () => {
    if (!isEnding) process.once('exit', () => process.exit());
    isEnding = true;
  });
