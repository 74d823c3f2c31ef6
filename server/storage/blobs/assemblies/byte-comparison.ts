import type { ChunkOutcome } from '../blob-store.ts';
import { crc32 } from '../../../kernel/crc32.ts';

/** Stored bytes to compare with; `read` returns fewer bytes than requested only at their end. */
export type StoredBytes = {
  readonly sizeBytes: number;
  read(target: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
};

/** Compares bytes with stored ones, from front to back. */
export type ByteComparison = {
  write(bytes: Uint8Array): Promise<void>;
  outcome(): Exclude<ChunkOutcome, 'received'>;
  close(): Promise<void>;
};

export function compareWithSource(source: StoredBytes): ByteComparison {
  let position = 0;
  let differs = false;
  let stored = new Uint8Array(0);
  return {
    async write(bytes) {
      const start = position;
      position += bytes.length;
      if (position > source.sizeBytes) differs = true;
      if (differs || bytes.length === 0) return;
      if (stored.length < bytes.length) stored = new Uint8Array(bytes.length);
      const target = stored.subarray(0, bytes.length);
      const length = await source.read(target, start);
      if (length < bytes.length || Buffer.compare(target, bytes) !== 0) differs = true;
    },
    outcome: () => (!differs && position === source.sizeBytes ? 'repeated' : 'conflict'),
    close: () => source.close(),
  };
}

/** Compares size and CRC-32 alone, for stored bytes that have been erased. */
export function compareWithChecksum(expected: { sizeBytes: number; crc32: number }): ByteComparison {
  let sizeBytes = 0;
  let crc = 0;
  return {
    async write(bytes) {
      sizeBytes += bytes.length;
      crc = crc32(bytes, crc);
    },
    outcome: () => (sizeBytes === expected.sizeBytes && crc === expected.crc32 ? 'repeated' : 'conflict'),
    async close() {},
  };
}

/** Passes all bytes of a source, piece by piece, to `take`. */
export async function forEachPiece(
  source: Pick<StoredBytes, 'sizeBytes' | 'read'>,
  take: (bytes: Uint8Array) => Promise<void> | undefined,
): Promise<void> {
  const buffer = new Uint8Array(Math.min(1024 * 1024, source.sizeBytes));
  for (let position = 0; position < source.sizeBytes;) {
    const wanted = Math.min(buffer.length, source.sizeBytes - position);
    const length = await source.read(buffer.subarray(0, wanted), position);
    if (length === 0) throw new Error('The stored bytes end too early');
    await take(buffer.subarray(0, length));
    position += length;
  }
}
