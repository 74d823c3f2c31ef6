import type { BlobReader } from '../../../storage/blobs/blob-store.ts';

/** Reads small neighbouring pieces of a blob with few calls. */
export type BlobWindow = {
  /** `length` bytes from `position` on, valid until the next call; undefined when the blob ends before that. */
  read(position: number, length: number): Promise<Buffer | undefined>;
};

export function createBlobWindow(reader: BlobReader, windowBytes: number): BlobWindow {
  let buffer = Buffer.alloc(0);
  let start = 0;
  let filled = 0;

  return {
    async read(position, length) {
      if (position < 0 || position + length > reader.facts.sizeBytes) return undefined;
      if (position < start || position + length > start + filled) {
        const wanted = Math.min(Math.max(windowBytes, length), reader.facts.sizeBytes - position);
        if (buffer.length < wanted) buffer = Buffer.allocUnsafe(wanted);
        start = position;
        filled = 0;
        while (filled < wanted) {
          const read = await reader.read(buffer.subarray(filled, wanted), position + filled);
          if (read === 0) break;
          filled += read;
        }
        if (filled < length) return undefined;
      }
      return buffer.subarray(position - start, position - start + length);
    },
  };
}
