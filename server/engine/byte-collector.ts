/** Bytes that come one piece after the other, kept in one buffer that grows by doubling. */
export type ByteCollector = {
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** The bytes so far, for one last use: the buffer is handed out, not copied. */
  take(): Uint8Array<ArrayBuffer>;
};

export function createByteCollector(expectedBytes: number): ByteCollector {
  // Often nothing comes: memory that nobody writes to is not even taken.
  let buffer = new Uint8Array(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    append(bytes) {
      if (length + bytes.length > buffer.length) {
        const larger = new Uint8Array(Math.max(1024, expectedBytes, buffer.length * 2, length + bytes.length));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      buffer.set(bytes, length);
      length += bytes.length;
    },
    take: () => buffer.subarray(0, length),
  };
}
