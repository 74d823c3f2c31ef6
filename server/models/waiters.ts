/** A call that waits for something to be granted. */
export type Waiter<T> = { resolve(granted: T): void };

/** Waits until a waiter of a set is resolved; an abort removes it. */
export function waitIn<T>(waiters: Set<Waiter<T>>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      waiters.delete(waiter);
      reject(new Error('the call was stopped', { cause: signal?.reason }));
    };
    const waiter: Waiter<T> = {
      resolve(granted) {
        signal?.removeEventListener('abort', stop);
        resolve(granted);
      },
    };
    if (signal?.aborted === true) return stop();
    signal?.addEventListener('abort', stop, { once: true });
    waiters.add(waiter);
  });
}
