/** Sequential file reader with push-back. */
export type ByteFeed = {
  /** Bytes taken so far, excluding those handed back. */
  readonly position: number;
  /** The next bytes, at most `limit`; undefined at the end. Valid until the next call. */
  next(limit: number): Promise<Uint8Array | undefined>;
  /** Hands back the last `length` bytes of the last `next`. */
  handBack(length: number): void;
  /** A copy of the next `length` bytes, fewer at the end. */
  take(length: number): Promise<Uint8Array>;
};

export function createByteFeed(source: AsyncIterator<Uint8Array>): ByteFeed {
  let block: Uint8Array = new Uint8Array(0);
  let at = 0;
  let position = 0;

  async function next(limit: number): Promise<Uint8Array | undefined> {
    while (at === block.length) {
      const { value, done } = await source.next();
      if (done === true) return undefined;
      block = value;
      at = 0;
    }
    const bytes = block.subarray(at, at + limit);
    at += bytes.length;
    position += bytes.length;
    return bytes;
  }

  return {
    get position() {
      return position;
    },
    next,
    handBack(length) {
      at -= length;
      position -= length;
    },
    async take(length) {
      const taken = new Uint8Array(length);
      let done = 0;
      while (done < length) {
        const bytes = await next(length - done);
        if (bytes === undefined) break;
        taken.set(bytes, done);
        done += bytes.length;
      }
      return taken.subarray(0, done);
    },
  };
}
