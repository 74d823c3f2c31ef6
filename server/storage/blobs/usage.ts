import type { Database } from '../database/database.ts';
import type { BlobFolders } from './files/blob-folders.ts';
import { isMissingFile, type FileOperations } from './files/file-operations.ts';
import { recordHeaderBytes } from './packs/pack-format.ts';
import { sumAssemblyBytes, sumStoredBytes, sumUnreferencedFileBytes } from './queries/blobs.ts';

/** Bytes on disk, and the part of them that the sweep will free. */
export async function measureUsage({
  db,
  measurePacks,
}: {
  db: Database;
  /** Bytes of all packs. */
  measurePacks(): Promise<number>;
}): Promise<{ storedBytes: number; reclaimableBytes: number }> {
  const live = await sumStoredBytes(db.scan);
  const unreferencedBytes = await sumUnreferencedFileBytes(db.scan);
  const assemblyBytes = await sumAssemblyBytes(db.scan);
  const packBytes = await measurePacks();
  const livePackBytes = live.packedBytes + live.packedRecords * recordHeaderBytes;
  return {
    storedBytes: live.fileBytes + unreferencedBytes + assemblyBytes + packBytes,
    reclaimableBytes: unreferencedBytes + Math.max(0, packBytes - livePackBytes),
  };
}

export async function measurePackFiles(
  operations: Pick<FileOperations, 'list' | 'sizeOf'>,
  folders: Pick<BlobFolders, 'packs' | 'packPath'>,
): Promise<number> {
  let packBytes = 0;
  for (const packId of await operations.list(folders.packs)) {
    try {
      packBytes += await operations.sizeOf(folders.packPath(packId));
    } catch (error) {
      if (!isMissingFile(error)) throw error;
    }
  }
  return packBytes;
}
