import type { BlobReader, ChunkWriter } from '../blob-store.ts';
import { compareWithSource } from './byte-comparison.ts';
import { crc32 } from '../../../kernel/crc32.ts';

/** Compares bytes with those of a blob from `offset` on; takes ownership of the reader. */
export function createRangeComparison(reader: BlobReader, offset: number, sizeBytes: number): ChunkWriter {
  const comparison = compareWithSource({
    sizeBytes,
    read: (target, position) => reader.read(target, offset + position),
    close: () => reader.close(),
  });
  let written = 0;
  let crc = 0;
  return {
    get crc32() {
      return crc;
    },
    get sizeBytes() {
      return written;
    },
    write(bytes) {
      written += bytes.length;
      crc = crc32(bytes, crc);
      return comparison.write(bytes);
    },
    async finish() {
      await comparison.close();
      return comparison.outcome();
    },
    abort: () => comparison.close(),
  };
}
