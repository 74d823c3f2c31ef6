/** So many at a time, shared fairly: a place that falls free goes to the owner that has the fewest, then to the one whose turn was longest ago. */
export type FairPlaces = {
  /** A place for one of `owner`; gives what lets go of it. One that is aborted before its turn throws the signal's reason. */
  acquire(owner: string, signal?: AbortSignal): Promise<() => void>;
};

export function createFairPlaces(places: number): FairPlaces {
  let free = places;
  const held = new Map<string, number>();
  /** When each owner had its last turn, while others wait. */
  const turns = new Map<string, number>();
  let turn = 0;
  const waiting: { owner: string; resolve: () => void }[] = [];

  function change(owner: string, by: 1 | -1): void {
    const count = (held.get(owner) ?? 0) + by;
    if (count === 0) held.delete(owner);
    else held.set(owner, count);
    if (by === 1) turns.set(owner, (turn += 1));
  }

  /** Whether the request of one owner goes before that of another one, which came first. */
  function goesFirst(owner: string, other: string): boolean {
    const more = (held.get(owner) ?? 0) - (held.get(other) ?? 0);
    return more < 0 || (more === 0 && (turns.get(owner) ?? 0) < (turns.get(other) ?? 0));
  }

  function release(owner: string): void {
    change(owner, -1);
    let next = 0;
    for (const [index, request] of waiting.entries()) {
      const first = waiting[next];
      if (first !== undefined && goesFirst(request.owner, first.owner)) next = index;
    }
    const [chosen] = waiting.splice(next, 1);
    if (chosen === undefined) {
      free += 1;
      turns.clear();
      return;
    }
    change(chosen.owner, 1);
    chosen.resolve();
  }

  async function wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const request = { owner, resolve };
    const leave = (): void => {
      const index = waiting.indexOf(request);
      if (index < 0) return;
      waiting.splice(index, 1);
      reject(signal?.reason);
    };
    waiting.push(request);
    signal?.addEventListener('abort', leave);
    await promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  return {
    async acquire(owner, signal) {
      signal?.throwIfAborted();
      if (free > 0) {
        free -= 1;
        change(owner, 1);
      } else await wait(owner, signal);
      let released = false;
      return () => {
        if (!released) release(owner);
        released = true;
      };
    },
  };
}
