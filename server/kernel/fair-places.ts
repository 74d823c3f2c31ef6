import { createFairTurns, nextInTurn } from './fair-turns.ts';

/** A fair semaphore: a free place goes to the owner that holds the fewest, then to the one served least recently. */
export type FairPlaces = {
  /**
   * Acquires a place for `owner`, or several: all at once, and later requests wait behind it. Returns a function that
   * releases them. If the signal aborts first, throws its reason.
   */
  acquire(owner: string, signal?: AbortSignal, places?: number): Promise<() => void>;
  /** Changes the number of places; places already held stay held. */
  resize(places: number): void;
};

export function createFairPlaces(places: number): FairPlaces {
  let all = places;
  let free = places;
  const turns = createFairTurns();
  const waiting: { owner: string; wanted: number; resolve: () => void }[] = [];

  function change(owner: string, by: number): void {
    free -= by;
    turns.change(owner, by);
  }

  function beginNext(): void {
    if (waiting.length === 0) turns.restart();
    while (waiting.length > 0) {
      const chosen = nextInTurn(turns, waiting);
      if (chosen === undefined || chosen.wanted > free) return;
      waiting.splice(waiting.indexOf(chosen), 1);
      change(chosen.owner, chosen.wanted);
      chosen.resolve();
    }
  }

  async function wait(owner: string, wanted: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const request = { owner, wanted, resolve };
    const leave = (): void => {
      const index = waiting.indexOf(request);
      if (index < 0) return;
      waiting.splice(index, 1);
      reject(signal?.reason);
      beginNext();
    };
    waiting.push(request);
    signal?.addEventListener('abort', leave);
    await promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  return {
    resize(now) {
      free += now - all;
      all = now;
      beginNext();
    },
    async acquire(owner, signal, wanted = 1) {
      signal?.throwIfAborted();
      if (waiting.length === 0 && free >= wanted) change(owner, wanted);
      else await wait(owner, wanted, signal);
      let released = false;
      return () => {
        if (released) return;
        released = true;
        change(owner, -wanted);
        beginNext();
      };
    },
  };
}
