import { open } from 'node:fs/promises';
import { blobPaths, isMissingFile, listBlobs } from '../blobs/index.ts';
import { crc32 } from '../../kernel/crc32.ts';
import type { ObjectMover } from '../blobs/s3/index.ts';
import { listPackEnds, listSealedFiles } from '../backup/index.ts';
import type { Database } from '../database/database.ts';

/** A file to copy to an object; the key is its path below the blob folder. */
type Moving = { path: string; key: string; sizeBytes: number };

export type MovedObjects = {
  /** Objects and bytes that this call copied. */
  copied: number;
  copiedBytes: number;
  /** Objects that an earlier attempt had copied. */
  present: number;
  /** Files of the data folder that are missing or shorter than recorded in the database. */
  incomplete: number;
};

const blockBytes = 4 * 1024 * 1024;
const rowsPerPage = 1000;
/** Calls cost milliseconds, so several objects are copied at once to keep the link busy. */
const objectsAtOnce = 4;

/**
 * Copies the bytes that the database refers to into the object store, under the store's keys. An object that already exists
 * with the same size and CRC-32 is not copied again.
 */
export async function moveObjects(options: {
  db: Database;
  blobDirectory: string;
  objects: ObjectMover;
  onProgress?: ((done: { blobs: number; bytes: number }) => void) | undefined;
}): Promise<MovedObjects> {
  const { db, blobDirectory, objects, onProgress } = options;
  const moved: MovedObjects = { copied: 0, copiedBytes: 0, present: 0, incomplete: 0 };
  let bytes = 0;

  async function move({ path, key, sizeBytes }: Moving): Promise<void> {
    const known = await objects.find(key);
    let lengthBytes = known === undefined ? undefined : await lengthOfSame(path, sizeBytes, known);
    if (lengthBytes !== undefined) moved.present += 1;
    else {
      // A pack has grown since an earlier attempt, or the disk returned wrong bytes then.
      if (known !== undefined) await objects.remove(key);
      lengthBytes = 0;
      const counted = async function* (): AsyncGenerator<Buffer> {
        for await (const block of blocksOf(path, sizeBytes)) {
          lengthBytes = (lengthBytes ?? 0) + block.length;
          yield block;
        }
      };
      try {
        await objects.write(key, counted());
        moved.copied += 1;
        moved.copiedBytes += lengthBytes;
      } catch (error) {
        if (!isMissingFile(error)) throw error;
      }
    }
    if (lengthBytes < sizeBytes) moved.incomplete += 1;
    bytes += lengthBytes;
    onProgress?.({ blobs: moved.copied + moved.present, bytes });
  }

  const source = blobPaths(blobDirectory);
  const target = blobPaths('');
  async function* everything(): AsyncGenerator<Moving> {
    for (const { pack_id: id, end_bytes: sizeBytes } of await listPackEnds(db.scan))
      yield { path: source.packPath(id), key: target.packPath(id), sizeBytes };
    for (const { object_id: id, size_bytes: sizeBytes } of await listSealedFiles(db.scan))
      yield { path: source.filePath(id), key: target.filePath(id), sizeBytes };
    for (let afterId = ''; ;) {
      const rows = await listBlobs(db.scan, afterId, rowsPerPage);
      const last = rows.at(-1);
      if (last === undefined) return;
      for (const { kind, object_id: id, size_bytes: sizeBytes } of rows)
        if (kind === 'file') yield { path: source.filePath(id), key: target.filePath(id), sizeBytes };
      afterId = last.id;
    }
  }

  const all = everything();
  await Promise.all(
    Array.from({ length: objectsAtOnce }, async () => {
      for (;;) {
        const next = await all.next();
        if (next.done === true) return;
        await move(next.value);
      }
    }),
  );
  return moved;
}

/** The length of a file, up to `maxBytes`, if an object has the same bytes. */
async function lengthOfSame(
  path: string,
  maxBytes: number,
  object: { sizeBytes: number; crc32: number | undefined },
): Promise<number | undefined> {
  let lengthBytes = 0;
  let crc = 0;
  try {
    for await (const block of blocksOf(path, maxBytes)) {
      lengthBytes += block.length;
      crc = crc32(block, crc);
    }
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
  return lengthBytes === object.sizeBytes && (object.crc32 ?? crc) === crc ? lengthBytes : undefined;
}

async function* blocksOf(path: string, maxBytes: number): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    for (let position = 0; position < maxBytes;) {
      const block = Buffer.allocUnsafe(Math.min(blockBytes, maxBytes - position));
      const { bytesRead } = await file.read(block, 0, block.length, position);
      if (bytesRead === 0) return;
      yield block.subarray(0, bytesRead);
      position += bytesRead;
    }
  } finally {
    await file.close();
  }
}
