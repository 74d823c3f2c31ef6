// Preloaded into test processes, before the runner. The runner follows every promise to know which test made it, and registers it for
// notification when it becomes garbage, which takes a tenth of the CPU time. This notifies it later instead, once many others have been
// made.
import asyncHooks from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

const { createHook } = asyncHooks;
const runner = 'node:internal/test_runner/';
/** The number of latest resources that are followed: some 100 MB at most. */
const MOST_FOLLOWED = 2 ** 20;

if (isMainThread)
  asyncHooks.createHook = (options) => {
    const { init, destroy, ...others } = options;
    const isOfRunner = new Error().stack?.includes(runner) === true;
    if (!isOfRunner || init === undefined || destroy === undefined) return createHook(options);
    const followed = new Float64Array(MOST_FOLLOWED);
    let next = 0;
    return createHook({
      ...others,
      init(id, type, trigger, resource) {
        const oldest = followed[next];
        if (oldest !== undefined && oldest > 0) destroy(oldest);
        followed[next] = id;
        next = (next + 1) % MOST_FOLLOWED;
        init(id, type, trigger, resource);
      },
    });
  };
