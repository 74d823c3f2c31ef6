/** Lets texts be read side by side while they fit into memory together. */
export type ReadingLanes = {
  /** Waits until there is room for so many bytes; throws the signal's reason after an abort. */
  run<T>(sizeBytes: number, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** The same, while nothing else is read. */
  runAlone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
};

const mebibyte = 1 << 20;

/** A text needs a few times its bytes while it is read and cut. */
export function createReadingLanes(maxBytes = 128 * mebibyte): ReadingLanes {
  let used = 0;
  const waiting: { bytes: number; begin(): void }[] = [];

  function beginNext(): void {
    for (let next = waiting[0]; next !== undefined && used + next.bytes <= maxBytes; next = waiting[0]) {
      waiting.shift();
      used += next.bytes;
      next.begin();
    }
  }

  async function enter(bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const place = { bytes, begin: resolve };
    const leave = (): void => {
      const index = waiting.indexOf(place);
      if (index < 0) return;
      waiting.splice(index, 1);
      reject(signal.reason);
      beginNext();
    };
    signal.addEventListener('abort', leave);
    waiting.push(place);
    beginNext();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  const run: ReadingLanes['run'] = async (sizeBytes, signal, work) => {
    const bytes = Math.min(Math.max(sizeBytes, mebibyte), maxBytes);
    await enter(bytes, signal);
    try {
      return await work();
    } finally {
      used -= bytes;
      beginNext();
    }
  };

  return { run, runAlone: (signal, work) => run(maxBytes, signal, work) };
}
