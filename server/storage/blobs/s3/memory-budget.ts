/** Counts bytes that all uploads to an object store hold in memory. */
export type MemoryBudget = {
  add(bytes: number): void;
  free(bytes: number): void;
  /** Returns a promise if there is no room: await it before taking more. */
  room(): Promise<void> | undefined;
};

/**
 * A writer waits at most this long for room: otherwise, many clients that have each sent half a part would wait for each
 * other. They continue slowly instead, and hold no more than they have sent.
 */
const waitMs = 250;

export function createMemoryBudget(maxBytes: number): MemoryBudget {
  let used = 0;
  let waiting: (() => void)[] = [];
  return {
    add(bytes) {
      used += bytes;
    },
    free(bytes) {
      used -= bytes;
      if (used > maxBytes) return;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    room() {
      if (used <= maxBytes) return undefined;
      return new Promise((resolve) => {
        const timer = setTimeout(done, waitMs);
        function done(): void {
          clearTimeout(timer);
          resolve();
        }
        waiting.push(done);
      });
    },
  };
}
