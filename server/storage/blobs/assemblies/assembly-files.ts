import type { BlobFolders } from '../files/blob-folders.ts';
import type { FileOperations } from '../files/file-operations.ts';
import { createSharedHandles } from '../files/shared-handles.ts';
import { openWritableFile, type LaneChoice, type WritableFile } from '../files/writable-file.ts';

export type AssemblyFile = { readonly file: WritableFile; release(): Promise<void> };

/** The files of assemblies; the most recently used ones stay open. */
export type AssemblyFiles = {
  acquire(assemblyId: string): Promise<AssemblyFile>;
  /** Closes the file when its last user releases it; the next `acquire` opens it anew. */
  forget(assemblyId: string): Promise<void>;
  close(): Promise<void>;
};

export function createAssemblyFiles({
  operations,
  folders,
  lane,
  onFailedSync,
  maxIdle = 64,
}: {
  operations: FileOperations;
  folders: BlobFolders;
  lane: LaneChoice;
  /** Called when a sync failed: bytes of this assembly may be lost. */
  onFailedSync(assemblyId: string): void;
  maxIdle?: number;
}): AssemblyFiles {
  const handles = createSharedHandles<WritableFile>({
    async open(id) {
      await folders.ensureFolderOf(id);
      return openWritableFile({ operations, path: folders.filePath(id), lane });
    },
    /** Syncs before closing, because a later write-back failure could not be reported. */
    async close(file, id, isForgotten) {
      try {
        if (!isForgotten) await file.sync();
      } catch {
        // The store has recorded the failure; here only the affected upload matters.
        onFailedSync(id);
      } finally {
        await file.close();
      }
    },
    maxIdle,
  });
  return {
    async acquire(id) {
      const { handle: file, release } = await handles.acquire(id);
      return { file, release };
    },
    forget: handles.forget,
    close: () => handles.close({ inUse: 'at once' }),
  };
}
