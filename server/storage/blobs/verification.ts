import type { Database } from '../database/database.ts';
import { openBlobFolders } from './files/blob-folders.ts';
import { createBlobReads } from './blob-reader.ts';
import { crc32 } from './hashing/crc32.ts';
import { fileOperations, isMissingFile, readAvailable } from './files/file-operations.ts';
import { createOpenFiles } from './files/open-files.ts';
import { findBlob, listBlobs, type BlobRow } from './queries/blobs.ts';
import { createObjectHolds } from './staged-blobs.ts';

export type BlobProblem = { blobId: string; problem: 'missing' | 'truncated' | 'damaged' };

const rowsPerPage = 1000;
const bufferBytes = 1024 * 1024;

/** Reads every blob and yields those whose bytes are not what they were; `onProgress` hears of each blob that was read. */
export async function* verifyBlobs(options: {
  directory: string;
  db: Database;
  onProgress?: (sizeBytes: number) => void;
}): AsyncGenerator<BlobProblem, void, void> {
  const { directory, db, onProgress } = options;
  const operations = fileOperations;
  const folders = await openBlobFolders(operations, directory);
  const openFiles = createOpenFiles(operations);
  const reads = createBlobReads({ db: db.read, operations, folders, openFiles, holds: createObjectHolds() });
  const buffer = Buffer.allocUnsafeSlow(bufferBytes);

  async function check(row: BlobRow): Promise<BlobProblem['problem'] | undefined> {
    if (row.kind === 'empty') return undefined;
    let file;
    try {
      file = await openFiles.acquire(reads.pathOf(row));
    } catch (error) {
      if (isMissingFile(error)) return 'missing';
      throw error;
    }
    try {
      let crc = 0;
      for (let position = 0; position < row.size_bytes;) {
        const target = buffer.subarray(0, Math.min(bufferBytes, row.size_bytes - position));
        const length = await readAvailable(operations, file.fd, target, row.object_offset + position);
        if (length < target.length) return 'truncated';
        crc = crc32(target, crc);
        position += length;
      }
      return crc === row.crc32 ? undefined : 'damaged';
    } finally {
      await file.release();
    }
  }

  try {
    for (let afterId = ''; ;) {
      const rows = await listBlobs(db.scan, afterId, rowsPerPage);
      const last = rows.at(-1);
      if (last === undefined) return;
      for (const row of rows) {
        const problem = await checkTwice(row);
        if (problem !== undefined) yield { blobId: row.id, problem };
        onProgress?.(row.size_bytes);
      }
      afterId = last.id;
    }
  } finally {
    await openFiles.close();
  }

  /** A service at work may have moved or erased the blob meanwhile. */
  async function checkTwice(row: BlobRow): Promise<BlobProblem['problem'] | undefined> {
    const problem = await check(row);
    if (problem === undefined) return undefined;
    const now = await findBlob(db.read, row.id);
    return now === undefined ? undefined : check(now);
  }
}
