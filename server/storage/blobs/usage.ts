import type { Database } from '../database/database.ts';
import type { BlobFolders } from './files/blob-folders.ts';
import { isMissingFile, type FileOperations } from './files/file-operations.ts';
import { recordHeaderBytes } from './packs/pack-format.ts';
import { sumAssemblyBytes, sumStoredBytes, sumUnreferencedFileBytes } from './queries/blobs.ts';

/** Bytes on disk, and the part of them that the sweep will free. */
export async function measureUsage(options: {
  db: Database;
  operations: FileOperations;
  folders: BlobFolders;
}): Promise<{ storedBytes: number; reclaimableBytes: number }> {
  const { db, operations, folders } = options;
  const live = await sumStoredBytes(db.scan);
  const unreferencedBytes = await sumUnreferencedFileBytes(db.scan);
  const assemblyBytes = await sumAssemblyBytes(db.scan);
  let packBytes = 0;
  for (const packId of await operations.list(folders.packs)) {
    try {
      packBytes += await operations.sizeOf(folders.packPath(packId));
    } catch (error) {
      if (!isMissingFile(error)) throw error;
    }
  }
  const livePackBytes = live.packedBytes + live.packedRecords * recordHeaderBytes;
  return {
    storedBytes: live.fileBytes + unreferencedBytes + assemblyBytes + packBytes,
    reclaimableBytes: unreferencedBytes + Math.max(0, packBytes - livePackBytes),
  };
}
