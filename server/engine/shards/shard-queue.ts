import type { Semaphore } from './semaphore.ts';

/**
 * Has every shard that `listWaiting` names worked on, as many at once as there are places. The first error ends the others,
 * which hear of it by their signal.
 */
export async function workThrough(
  semaphore: Semaphore,
  signal: AbortSignal,
  listWaiting: (after: number, limit: number) => Promise<number[]>,
  work: (shardNo: number, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const anySignal = AbortSignal.any([signal, failed.signal]);
  const running = new Set<Promise<void>>();
  try {
    let after = -1;
    for (;;) {
      const shardNos = await listWaiting(after, 1000);
      if (shardNos.length === 0) break;
      for (const shardNo of shardNos) {
        after = shardNo;
        const release = await semaphore.acquire();
        if (anySignal.aborted) {
          release();
          anySignal.throwIfAborted();
        }
        const one: Promise<void> = work(shardNo, anySignal)
          .catch((error: unknown) => {
            failed.abort(error);
          })
          .finally(() => {
            running.delete(one);
            release();
          });
        running.add(one);
      }
    }
  } finally {
    await Promise.all(running);
  }
  anySignal.throwIfAborted();
}
