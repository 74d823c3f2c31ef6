import { asBuffer, copyBytes } from '../../kernel/copy-bytes.ts';
import type { KeptMemory } from '../orders/result-memory.ts';

/** Collects bytes piece by piece in one buffer that grows by doubling. */
export type ByteCollector = {
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** Removes the bytes from `start` on and returns them. */
  cut(start: number): Uint8Array;
  /** The bytes so far. The collector must not be used afterwards: the buffer is handed out, not copied. */
  take(): Uint8Array;
};

/** With `kept`, its memory is reused, and replaced by larger memory of the same kind when it is too small. */
export function createByteCollector(expectedBytes: number, kept?: KeptMemory): ByteCollector {
  // The buffer often stays empty: untouched memory is never allocated by the system.
  let buffer = asBuffer(kept?.bytes ?? new Uint8Array(0));
  let length = 0;

  function grow(neededBytes: number): void {
    const sizeBytes = Math.max(1024, expectedBytes, buffer.length * 2, neededBytes);
    const larger = Buffer.from(kept === undefined ? new ArrayBuffer(sizeBytes) : new SharedArrayBuffer(sizeBytes));
    copyBytes(buffer.subarray(0, length), larger, 0);
    buffer = larger;
    if (kept !== undefined) kept.bytes = larger;
  }

  return {
    get length() {
      return length;
    },
    append(bytes) {
      if (length + bytes.length > buffer.length) grow(length + bytes.length);
      copyBytes(asBuffer(bytes), buffer, length);
      length += bytes.length;
    },
    cut(start) {
      const bytes = new Uint8Array(buffer.subarray(start, length));
      length = start;
      return bytes;
    },
    take: () => buffer.subarray(0, length),
  };
}
