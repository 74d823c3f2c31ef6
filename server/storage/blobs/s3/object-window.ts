/** Bytes that streams read per call, each of which costs milliseconds. */
export const objectLoads = { pieceBytes: 4 * 1024 * 1024, smallPieceBytes: 1024 * 1024 };

/** Reads ahead in one object, because sequential small reads would each cost a request. */
export type ObjectWindow = {
  /** Fills `target` from `position` on; fewer bytes only at the end. */
  read(target: Uint8Array, position: number): Promise<number>;
};

const firstBytes = 256 * 1024;
const maxBytes = 8 * 1024 * 1024;

/** The window doubles while reads are sequential and shrinks back to its initial size when they jump. */
export function createObjectWindow(
  sizeBytes: number,
  load: (target: Uint8Array, position: number) => Promise<number>,
): ObjectWindow {
  let bytes = Buffer.alloc(0);
  let start = 0;
  let nextBytes = firstBytes;

  return {
    async read(target, position) {
      const wanted = Math.max(0, Math.min(target.length, sizeBytes - position));
      let filled = 0;
      while (filled < wanted) {
        const from = position + filled;
        if (from >= start && from < start + bytes.length) {
          filled += bytes.copy(target, filled, from - start, from - start + wanted - filled);
          continue;
        }
        const isNext = from === start + bytes.length && bytes.length > 0;
        nextBytes = isNext ? Math.min(2 * nextBytes, maxBytes) : firstBytes;
        const rest = wanted - filled;
        if (rest >= nextBytes) {
          const got = await load(target.subarray(filled, wanted), from);
          bytes = Buffer.alloc(0);
          start = from + got;
          return filled + got;
        }
        const fresh = Buffer.allocUnsafeSlow(Math.min(nextBytes, sizeBytes - from));
        const got = await load(fresh, from);
        if (got === 0) return filled;
        bytes = fresh.subarray(0, got);
        start = from;
      }
      return filled;
    },
  };
}
