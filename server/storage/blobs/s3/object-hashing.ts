import type { BufferPool, PoolBuffer } from '../files/buffer-pool.ts';
import { crc32 } from '../../../kernel/crc32.ts';
import type { FileChecksums, Hasher } from '../hashing/hasher.ts';
import type { BlobRow } from '../queries/blobs.ts';
import type { ObjectStore } from './object-store.ts';

/** Hashes a stored blob, passing its bytes to the hash thread through shared memory; undefined if any are missing. */
export function createObjectHashing({
  store,
  pool,
  hasher,
  pathOf,
}: {
  store: ObjectStore;
  pool: BufferPool;
  hasher: Hasher;
  pathOf(row: BlobRow): string;
}): (row: BlobRow) => Promise<FileChecksums | undefined> {
  return async (row) => {
    const hash = hasher.startOrdered();
    let crc = 0;
    const buffer: PoolBuffer = await pool.take({ spill() {} });
    pool.keep(buffer);
    try {
      for (let position = 0; position < row.size_bytes;) {
        const target = buffer.bytes.subarray(0, row.size_bytes - position);
        const count = await store.read(pathOf(row), target, row.object_offset + position);
        if (count < target.length) return undefined;
        crc = crc32(target, crc);
        await hash.feedShared(buffer.offset, count);
        position += count;
      }
      const sha256 = await hash.digest();
      return sha256 === null ? undefined : { sha256, crc32: crc };
    } finally {
      pool.give(buffer);
      hash.drop();
    }
  };
}
