/** Bytes of known length that can be read from any position: a stored file, a part of one, an archive generated while it is read. */
export type ByteSource = {
  readonly sizeBytes: number;
  /** Opens the bytes from `start` up to but not including `end`. */
  open(start: number, end: number): Promise<ByteStream>;
};

/** Sequential reader into buffers that the caller owns. One call at a time; call `close` when no call is pending. */
export type ByteStream = {
  /** Fills `target` from its start and returns the number of bytes; fewer than its length only at the end, then 0. */
  fill(target: Uint8Array): Promise<number>;
  /** Releases resources; required even after the end. */
  close(): Promise<void>;
};

/** Part of a stream: bytes, valid until the next part is requested, or a stream that is read to its end and closed. */
export type BytePart = Uint8Array | ByteStream;

/**
 * Concatenates parts into one stream; parts are requested one by one as needed. All parts of a list must stay valid
 * until the next list is requested.
 */
export function concatenate(lists: AsyncIterable<BytePart | BytePart[]>): ByteStream {
  const iterator = lists[Symbol.asyncIterator]();
  let list: BytePart[] = [];
  let position = 0;
  let part: BytePart | undefined;
  let ended = false;

  async function nextPart(): Promise<BytePart | undefined> {
    while (position === list.length && !ended) {
      const next = await iterator.next();
      if (next.done === true) ended = true;
      else list = Array.isArray(next.value) ? next.value : [next.value];
      position = next.done === true ? list.length : 0;
    }
    return list[position++];
  }

  return {
    async fill(target) {
      let filled = 0;
      while (filled < target.length) {
        part ??= position < list.length ? list[position++] : await nextPart();
        if (part === undefined) break;
        if (part instanceof Uint8Array) {
          const taken = Math.min(part.length, target.length - filled);
          target.set(taken === part.length ? part : part.subarray(0, taken), filled);
          filled += taken;
          part = taken === part.length ? undefined : part.subarray(taken);
        } else {
          const read = await part.fill(target.subarray(filled));
          filled += read;
          if (filled < target.length) {
            await part.close();
            part = undefined;
          }
        }
      }
      return filled;
    },
    async close() {
      const open = [part, ...list.slice(position)];
      ended = true;
      part = undefined;
      list = [];
      position = 0;
      try {
        for (const part of open) if (part !== undefined && !(part instanceof Uint8Array)) await part.close();
      } finally {
        await iterator.return?.();
      }
    },
  };
}
