import type { BlobFolders } from '../files/blob-folders.ts';
import type { FileOperations } from '../files/file-operations.ts';
import { openWritableFile, type LaneChoice, type WritableFile } from '../files/writable-file.ts';

export type AssemblyFile = { readonly file: WritableFile; release(): Promise<void> };

/** The files of assemblies; the most recently used ones stay open. */
export type AssemblyFiles = {
  acquire(assemblyId: string): Promise<AssemblyFile>;
  /** Closes the file when its last user releases it; the next `acquire` opens it anew. */
  forget(assemblyId: string): Promise<void>;
  close(): Promise<void>;
};

type Entry = { id: string; opening: Promise<WritableFile>; users: number; forgotten: boolean };

export function createAssemblyFiles(options: {
  operations: FileOperations;
  folders: BlobFolders;
  lane: LaneChoice;
  /** A sync failed: bytes of this assembly may be lost. */
  onFailedSync(assemblyId: string): void;
  maxIdle?: number;
}): AssemblyFiles {
  const { operations, folders, lane, onFailedSync, maxIdle = 64 } = options;
  /** By assembly, least recently used first. */
  const entries = new Map<string, Entry>();

  async function open(id: string): Promise<WritableFile> {
    await folders.ensureFolderOf(id);
    return openWritableFile({ operations, path: folders.filePath(id), lane });
  }

  /** Syncs before closing: nobody could be told of a later write-back failure. */
  async function closeEntry(entry: Entry): Promise<void> {
    if (entries.get(entry.id) === entry) entries.delete(entry.id);
    const file = await entry.opening;
    try {
      if (!entry.forgotten) await file.sync();
    } catch {
      // The store has recorded the failure; here only the affected upload matters.
      onFailedSync(entry.id);
    } finally {
      await file.close();
    }
  }

  async function release(entry: Entry): Promise<void> {
    entry.users--;
    if (entry.users > 0) return;
    if (entry.forgotten) {
      await closeEntry(entry);
      return;
    }
    if (entries.size <= maxIdle) return;
    for (const candidate of entries.values()) {
      if (candidate.users > 0) continue;
      await closeEntry(candidate);
      return;
    }
  }

  return {
    async acquire(id) {
      let entry = entries.get(id);
      if (entry === undefined) entry = { id, opening: open(id), users: 0, forgotten: false };
      else entries.delete(id);
      entries.set(id, entry);
      entry.users++;
      const taken = entry;
      try {
        const file = await taken.opening;
        return { file, release: () => release(taken) };
      } catch (error) {
        if (entries.get(id) === taken) entries.delete(id);
        throw error;
      }
    },
    async forget(id) {
      const entry = entries.get(id);
      if (entry === undefined) return;
      entries.delete(id);
      entry.forgotten = true;
      if (entry.users === 0) await closeEntry(entry);
    },
    async close() {
      for (const entry of entries.values()) await closeEntry(entry);
    },
  };
}
