import { constants } from 'node:fs';
import type { FileOperations } from './file-operations.ts';

export type OpenFile = { readonly fd: number; release(): Promise<void> };

/** Files open for reading, shared by all readers; the most recently used ones stay open. */
export type OpenFiles = {
  /** Throws ENOENT when the file does not exist. */
  acquire(path: string): Promise<OpenFile>;
  /** The file is being removed: current readers finish, new ones are refused. */
  forget(path: string): Promise<void>;
  close(): Promise<void>;
};

type Entry = { path: string; opening: Promise<number>; users: number; forgotten: boolean };

export function createOpenFiles(operations: FileOperations, maxIdle = 128): OpenFiles {
  /** By path, least recently used first. */
  const entries = new Map<string, Entry>();

  async function closeEntry(entry: Entry): Promise<void> {
    if (entries.get(entry.path) === entry) entries.delete(entry.path);
    await operations.close(await entry.opening);
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
    async acquire(path) {
      let entry = entries.get(path);
      if (entry === undefined) {
        entry = { path, opening: operations.open(path, constants.O_RDONLY), users: 0, forgotten: false };
      } else {
        entries.delete(path);
      }
      entries.set(path, entry);
      entry.users++;
      const taken = entry;
      try {
        const fd = await taken.opening;
        return { fd, release: () => release(taken) };
      } catch (error) {
        if (entries.get(path) === taken) entries.delete(path);
        throw error;
      }
    },
    async forget(path) {
      const entry = entries.get(path);
      if (entry === undefined) return;
      entries.delete(path);
      entry.forgotten = true;
      if (entry.users === 0) await closeEntry(entry);
    },
    async close() {
      for (const entry of entries.values()) {
        entries.delete(entry.path);
        entry.forgotten = true;
        if (entry.users === 0) await closeEntry(entry);
      }
    },
  };
}
