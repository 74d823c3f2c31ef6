import type { ByteSource } from '../../kernel/byte-source.ts';
import type { BlobFacts, BlobStore } from './blob-store.ts';
import { crc32 } from '../../kernel/crc32.ts';
import { blobErrors } from './errors.ts';

/**
 * The bytes of one blob. A read of all bytes is checked against the blob's CRC-32 before the last piece is yielded, so a client
 * that receives the last byte has received what was stored. Throws BLOB_MISSING at `open`, BLOB_DAMAGED at the last piece.
 */
export function createBlobSource(
  blobs: Pick<BlobStore, 'open'>,
  { id, sizeBytes, crc32: expected }: Pick<BlobFacts, 'id' | 'sizeBytes' | 'crc32'>,
): ByteSource {
  return {
    sizeBytes,
    async open(start, end) {
      const isWhole = start === 0 && end === sizeBytes;
      const reader = await blobs.open(id);
      let position = start;
      let crc = 0;
      return {
        async fill(target) {
          const wanted = target.subarray(0, Math.min(target.length, end - position));
          let filled = 0;
          while (filled < wanted.length) {
            const read = await reader.read(wanted.subarray(filled), position + filled);
            if (read === 0) throw blobErrors.BLOB_DAMAGED({ id });
            filled += read;
          }
          position += filled;
          if (isWhole) {
            crc = crc32(wanted, crc);
            if (position === end && crc !== expected) throw blobErrors.BLOB_DAMAGED({ id });
          }
          return filled;
        },
        close: () => reader.close(),
      };
    },
  };
}
