const kib = 1024;

/** Buffer sizes, and the number of bytes in use beyond which no more buffers of that size are given out. */
const sizes = [
  { sizeBytes: 1024 * kib, untilBytes: 32 * 1024 * kib, keptCount: 8 },
  { sizeBytes: 256 * kib, untilBytes: 48 * 1024 * kib, keptCount: 16 },
  { sizeBytes: 64 * kib, untilBytes: 64 * 1024 * kib, keptCount: 64 },
  { sizeBytes: 16 * kib, untilBytes: Infinity, keptCount: 256 },
] as const;

export const smallestBufferBytes = 16 * kib;
export const largestBufferBytes = 1024 * kib;

/** Reused buffers: the first touch of new memory costs more than the copy into it. */
export type SendBufferPool = {
  /**
   * A buffer of about `wantedBytes`; a smaller one when many bytes are in use, so that ten thousand slow clients need
   * little memory each.
   */
  take(wantedBytes: number): Buffer;
  give(buffer: Buffer): void;
  readonly usedBytes: number;
};

export function createSendBufferPool(): SendBufferPool {
  const kept = new Map<number, Buffer[]>(sizes.map(({ sizeBytes }) => [sizeBytes, []]));
  let usedBytes = 0;

  function sizeFor(wantedBytes: number): number {
    const fitting = sizes.find(
      ({ sizeBytes, untilBytes }) =>
        usedBytes + sizeBytes <= untilBytes && (sizeBytes <= wantedBytes || sizeBytes === smallestBufferBytes),
    );
    return fitting?.sizeBytes ?? smallestBufferBytes;
  }

  return {
    take(wantedBytes) {
      const sizeBytes = sizeFor(wantedBytes);
      usedBytes += sizeBytes;
      return kept.get(sizeBytes)?.pop() ?? Buffer.allocUnsafeSlow(sizeBytes);
    },
    give(buffer) {
      usedBytes -= buffer.length;
      const limit = sizes.find(({ sizeBytes }) => sizeBytes === buffer.length)?.keptCount ?? 0;
      const list = kept.get(buffer.length);
      if (list !== undefined && list.length < limit) list.push(buffer);
    },
    get usedBytes() {
      return usedBytes;
    },
  };
}
