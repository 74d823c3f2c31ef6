import { factsOf, type BlobReads } from '../blob-reader.ts';
import { blobErrors } from '../errors.ts';
import type { BlobPaths } from '../files/blob-folders.ts';
import { isMissingFile, type FileOperations } from '../files/file-operations.ts';
import type { OpenFiles } from '../files/open-files.ts';
import type { BlobRows } from '../blob-rows.ts';
import type { BlobRow } from '../queries/blobs.ts';
import type { ObjectHolds } from '../staged-blobs.ts';
import type { ObjectStore } from './object-store.ts';
import { createObjectWindow } from './object-window.ts';
import type { ScratchCopies } from './scratch-copies.ts';

/** Reads blobs from their objects; readers that need a path get a local copy. */
export function createObjectReads(options: {
  rows: BlobRows;
  store: ObjectStore;
  operations: FileOperations;
  paths: BlobPaths;
  openFiles: OpenFiles;
  holds: ObjectHolds;
  scratch: ScratchCopies;
}): BlobReads {
  const { rows, store, operations, paths, openFiles, holds, scratch } = options;
  const pathOf = (row: BlobRow): string =>
    row.kind === 'pack' ? paths.packPath(row.object_id) : paths.filePath(row.object_id);

  async function getRow(blobId: string): Promise<BlobRow> {
    const row = await rows.find(blobId);
    if (row === undefined) throw blobErrors.BLOB_MISSING({ id: blobId });
    return row;
  }

  /** Calls `work` with the place of a blob, and again with the new place if a sweep has moved the bytes. */
  async function atPlace<T>(row: BlobRow, work: (row: BlobRow) => Promise<T>): Promise<T> {
    for (let known = row; ;) {
      try {
        return await work(known);
      } catch (error) {
        if (!isMissingFile(error)) throw error;
        const now = await getRow(row.id);
        if (now.object_id === known.object_id) throw blobErrors.BLOB_MISSING({ id: row.id }, { cause: error });
        known = now;
      }
    }
  }

  /** Bytes of a blob from `position` on, wherever they are now. */
  async function load(row: BlobRow, target: Uint8Array, position: number): Promise<number> {
    const length = Math.max(0, Math.min(target.length, row.size_bytes - position));
    if (length === 0) return 0;
    const count = await atPlace(row, (known) =>
      store.read(pathOf(known), target.subarray(0, length), known.object_offset + position),
    );
    if (count < length) throw blobErrors.BLOB_DAMAGED({ id: row.id });
    return count;
  }

  return {
    pathOf,
    openPlace: (row) =>
      atPlace(row, async (known) => {
        if (known.kind === 'empty') return { row: known, file: undefined };
        await operations.sizeOf(pathOf(known));
        return { row: known, file: await openFiles.acquire(pathOf(known)) };
      }),
    async find(blobId) {
      const row = await rows.find(blobId);
      return row === undefined ? undefined : factsOf(row);
    },
    async findAll(blobIds) {
      return (await rows.findAll(blobIds)).map(factsOf);
    },
    async open(blobId) {
      const row = await getRow(blobId);
      if (row.kind !== 'empty') await atPlace(row, (known) => operations.sizeOf(pathOf(known)));
      holds.hold(row.object_id);
      const window = createObjectWindow(row.size_bytes, (target, position) => load(row, target, position));
      let isClosed = false;
      return {
        facts: factsOf(row),
        read: window.read,
        async close() {
          if (!isClosed) holds.release(row.object_id);
          isClosed = true;
        },
      };
    },
    async localPath(blobId, ranges) {
      const row = await getRow(blobId);
      const { size_bytes: sizeBytes, crc32 } = row;
      if (row.kind === 'empty') return { path: '/dev/null', offset: 0, sizeBytes, crc32, release: async () => {} };
      const wanted = { id: row.id, ranges: ranges ?? [{ from: 0, to: sizeBytes }] };
      const copy = await scratch.acquire(wanted, (target, position) => load(row, target, position));
      return { path: copy.path, offset: 0, sizeBytes, crc32, release: copy.release };
    },
  };
}
