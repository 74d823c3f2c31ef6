import type { Db } from '../database/database.ts';
import type { BlobFolders } from './files/blob-folders.ts';
import type { BlobFacts, BlobPath, BlobReader, BlobRange } from './blob-store.ts';
import { blobErrors } from './errors.ts';
import { isMissingFile, readAvailable, type FileOperations } from './files/file-operations.ts';
import type { OpenFile, OpenFiles } from './files/open-files.ts';
import { findBlob, findBlobs, type BlobRow } from './queries/blobs.ts';
import type { MissingBytes } from './missing-bytes.ts';
import type { ObjectHolds } from './staged-blobs.ts';

/** A blob's row and the open file that holds its bytes; `file` is undefined for an empty blob. */
export type PlacedBlob = { row: BlobRow; file: OpenFile | undefined };

export type BlobReads = {
  find(blobId: string): Promise<BlobFacts | undefined>;
  findAll(blobIds: readonly string[]): Promise<BlobFacts[]>;
  open(blobId: string): Promise<BlobReader>;
  localPath(blobId: string, ranges?: readonly BlobRange[]): Promise<BlobPath>;
  /** Opens the place recorded in the row, or the current one if the bytes have moved. */
  openPlace(row: BlobRow): Promise<PlacedBlob>;
  pathOf(row: BlobRow): string;
};

export function createBlobReads(options: {
  db: Db;
  operations: FileOperations;
  folders: BlobFolders;
  openFiles: OpenFiles;
  holds: ObjectHolds;
  missing: MissingBytes;
}): BlobReads {
  const { db, operations, folders, openFiles, holds, missing } = options;

  const pathOf = (row: BlobRow): string =>
    row.kind === 'pack' ? folders.packPath(row.object_id) : folders.filePath(row.object_id);

  async function getRow(blobId: string): Promise<BlobRow> {
    const row = await findBlob(db, blobId);
    if (row === undefined) throw blobErrors.BLOB_MISSING({ id: blobId });
    return row;
  }

  async function openPlace(row: BlobRow): Promise<PlacedBlob> {
    let known = row;
    for (;;) {
      if (known.kind === 'empty') return { row: known, file: undefined };
      try {
        return { row: known, file: await openFiles.acquire(pathOf(known)) };
      } catch (error) {
        if (!isMissingFile(error)) throw error;
        // The sweep may have moved the bytes since the row was read; if the row is unchanged, they are missing.
        const now = await getRow(row.id);
        if (now.object_id === known.object_id) throw await missing(now, error);
        known = now;
      }
    }
  }

  /** Throws only if another data folder may have the bytes; otherwise the read reports them as missing. */
  async function checkPresence(row: BlobRow): Promise<void> {
    if (row.kind === 'empty') return;
    try {
      await operations.sizeOf(pathOf(row));
    } catch (error) {
      const known = isMissingFile(error) ? await missing(row, error) : undefined;
      if (known?.code === 'BLOB_ELSEWHERE') throw known;
    }
  }

  return {
    pathOf,
    openPlace,
    async find(blobId) {
      const row = await findBlob(db, blobId);
      return row === undefined ? undefined : factsOf(row);
    },
    async findAll(blobIds) {
      return (await findBlobs(db, blobIds)).map(factsOf);
    },
    async open(blobId) {
      const { row, file } = await openPlace(await getRow(blobId));
      let closed = false;
      return {
        facts: factsOf(row),
        async read(target, position) {
          const length = Math.max(0, Math.min(target.length, row.size_bytes - position));
          if (length === 0 || file === undefined) return 0;
          const count = await readAvailable(
            operations,
            file.fd,
            target.subarray(0, length),
            row.object_offset + position,
          );
          if (count < length) throw blobErrors.BLOB_DAMAGED({ id: blobId });
          return count;
        },
        async close() {
          if (closed) return;
          closed = true;
          await file?.release();
        },
      };
    },
    async localPath(blobId) {
      for (;;) {
        const row = await getRow(blobId);
        const { object_id: objectId } = row;
        holds.hold(objectId);
        // Hold the object, then look the row up again: from here on the sweep leaves the file alone.
        const now = await findBlob(db, blobId);
        if (now?.object_id !== objectId) {
          holds.release(objectId);
          continue;
        }
        try {
          await checkPresence(now);
        } catch (error) {
          holds.release(objectId);
          throw error;
        }
        let held = true;
        return {
          path: row.kind === 'empty' ? '/dev/null' : pathOf(now),
          offset: now.object_offset,
          sizeBytes: now.size_bytes,
          crc32: now.crc32,
          async release() {
            if (held) holds.release(objectId);
            held = false;
          },
        };
      }
    },
  };
}

export function factsOf(row: BlobRow): BlobFacts {
  return { id: row.id, sizeBytes: row.size_bytes, crc32: row.crc32, sha256: row.sha256 };
}
