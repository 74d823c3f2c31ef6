/** So many at a time; the others wait in order. */
export type Semaphore = {
  acquire(): Promise<() => void>;
};

export function createSemaphore(places: number): Semaphore {
  let free = places;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async acquire() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      let released = false;
      return () => {
        if (!released) release();
        released = true;
      };
    },
  };
}
