export type ShardQueue = {
  /** Processes the first shard alone, so that it is to blame if the process ends again. */
  isFirstAlone: boolean;
  /** Numbers of the shards still to be processed, ascending. */
  listWaiting: (after: number, limit: number) => Promise<number[]>;
  /** Waits until the shard may be processed; returns the function that releases its place. */
  acquire: (shardNo: number) => Promise<() => void>;
  work: (shardNo: number, signal: AbortSignal) => Promise<void>;
};

/**
 * Processes every shard that `listWaiting` returns, as many concurrently as there are places. The first error aborts
 * the others through their signal.
 */
export async function workThrough(
  { isFirstAlone, listWaiting, acquire, work }: ShardQueue,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const anySignal = AbortSignal.any([signal, failed.signal]);
  const running = new Set<Promise<void>>();
  let isFirst = true;
  try {
    let after = -1;
    for (;;) {
      const shardNos = await listWaiting(after, 1000);
      if (shardNos.length === 0) break;
      for (const shardNo of shardNos) {
        after = shardNo;
        const release = await acquire(shardNo);
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
        if (isFirstAlone && isFirst) await one;
        isFirst = false;
      }
    }
  } finally {
    await Promise.all(running);
  }
  anySignal.throwIfAborted();
}
