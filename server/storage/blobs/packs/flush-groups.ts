import type { DiskHealth } from '../files/disk-health.ts';
import { asStorageError } from '../errors.ts';
import type { FileOperations } from '../files/file-operations.ts';
import type { PackWriter } from './pack-writer.ts';
import type { StagedBlobs } from '../staged-blobs.ts';
import type { WritableFile } from '../files/writable-file.ts';

/** A finished file whose bytes wait for the next group. */
export type UnsyncedFile = { blobId: string; file: WritableFile; folder: string };

/** Group commit: all callers that arrive while one group is synced share the next sync. */
export type FlushGroups = {
  addFile(unsynced: UnsyncedFile): void;
  /** Syncs one file and its folder now, for callers that need only that file. */
  syncFile(file: WritableFile, folder: string): Promise<void>;
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Finished files kept open for their sync; this many start a group on their own. */
const maxUnsyncedFiles = 64;

export function createFlushGroups(options: {
  operations: FileOperations;
  packs: PackWriter;
  staged: StagedBlobs;
  health: Pick<DiskHealth, 'ready'>;
  /** Syncs files as soon as they are added, because their last bytes are only in memory until then. */
  isEager?: boolean;
}): FlushGroups {
  const { operations, packs, staged, health, isEager = false } = options;
  let unsyncedFiles: UnsyncedFile[] = [];
  let waiting: { resolve(): void; reject(error: Error): void }[] = [];
  let running: Promise<void> | undefined;

  async function syncFiles(files: readonly UnsyncedFile[]): Promise<void> {
    const results = await Promise.allSettled(files.map(({ file }) => file.sync()));
    await Promise.allSettled(files.map(({ file }) => file.close()));
    for (const [index, result] of results.entries()) {
      if (result.status === 'rejected') staged.markLost([files[index]?.blobId ?? ''], result.reason);
    }
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    const folders = [...new Set(files.map(({ folder }) => folder))];
    const blobIds = files.map(({ blobId }) => blobId);
    try {
      await Promise.all(folders.map((folder) => operations.syncDirectory(folder)));
    } catch (error) {
      staged.markLost(blobIds, error);
      throw error;
    }
    staged.markDurable(blobIds);
  }

  async function syncGroup(): Promise<void> {
    const files = unsyncedFiles;
    unsyncedFiles = [];
    const [packed, filed] = await Promise.allSettled([packs.flush(), syncFiles(files)]);
    if (filed.status === 'rejected') throw asStorageError(filed.reason);
    if (packed.status === 'rejected') throw asStorageError(packed.reason);
  }

  async function run(): Promise<void> {
    // Wait one turn of the event loop, so that all callers of this turn join the first group.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        await syncGroup();
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error as Error);
      }
    }
    running = undefined;
  }

  function join(): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      running ??= run();
    });
  }

  return {
    addFile(unsynced) {
      unsyncedFiles.push(unsynced);
      // The group reports the failure.
      if (isEager) unsynced.file.sync().catch(() => {});
      // `adopt` reports the failure of this group: the affected blobs are marked.
      if (unsyncedFiles.length >= maxUnsyncedFiles) join().catch(() => {});
    },
    async syncFile(file, folder) {
      await health.ready();
      await file.sync();
      await operations.syncDirectory(folder);
    },
    async flush() {
      await health.ready();
      await join();
    },
    async close() {
      await running;
      try {
        await syncFiles(unsyncedFiles);
      } finally {
        unsyncedFiles = [];
        await packs.close();
      }
    },
  };
}
