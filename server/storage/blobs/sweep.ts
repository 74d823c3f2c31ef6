import { createBackgroundTask } from '../../kernel/background-task.ts';
import type { Database } from '../database/database.ts';
import { isDatabaseUnavailable } from '../database/unavailable.ts';
import { freeingSpace } from '../disk-space/index.ts';
import type { BlobFolders } from './files/blob-folders.ts';
import type { Logger } from './blob-store-options.ts';
import type { Eraser } from './files/eraser.ts';
import type { FileOperations } from './files/file-operations.ts';
import type { PackCompaction } from './packs/pack-compaction.ts';
import { besideAssemblyId } from './beside-names.ts';
import { findBesideNames } from './queries/assemblies.ts';
import { deleteUnreferencedBlobs, findPointedObjects, listUnreferencedBlobs } from './queries/blobs.ts';
import type { ObjectHolds } from './staged-blobs.ts';

/** Frees the space of unreferenced bytes. */
export type Sweep = {
  /** `freedBytes` counts everything erased during the run, also on behalf of other callers. */
  run(): Promise<{ freedBytes: number }>;
  /** Rewrites the packs that hold these blobs once they are unreferenced, so that their bytes are gone. */
  wipe(blobIds: readonly string[]): void;
  /** Schedules a run after a delay. */
  soon(): void;
  /** Starts the regular runs, and one search for leftovers of a crash. */
  start(): void;
  close(): Promise<void>;
};

const rowsPerBatch = 1000;
const namesPerBatch = 500;

export function createSweep(options: {
  db: Database;
  operations: FileOperations;
  folders: BlobFolders;
  holds: ObjectHolds;
  eraser: Eraser;
  compaction: PackCompaction;
  logger: Logger;
  delayMs: number;
  intervalMs: number;
  /** Replaces the search for leftovers where listing all names is not suitable. */
  findLeftovers?: (signal: AbortSignal) => Promise<void>;
  /** Called when the rows of these blobs were deleted. */
  onDeleted?: (blobIds: readonly string[]) => void;
  /** Time between searches for leftovers; without it, there is only one at the start. */
  leftoversEveryMs?: number;
}): Sweep {
  const { db, operations, folders, holds, eraser, compaction, logger, delayMs, intervalMs } = options;
  const { leftoversEveryMs = Number.POSITIVE_INFINITY } = options;
  let turns: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const wiped = new Set<string>();
  /** True at start and after a database failure: rows may have been deleted whose files are no longer known. */
  let areLeftoversDue = false;
  let searchedAt = performance.now();
  const ending = new AbortController();

  async function deleteRows(): Promise<void> {
    while (!ending.signal.aborted) {
      const ids = await listUnreferencedBlobs(db.scan, rowsPerBatch);
      if (ids.length === 0) return;
      const rows = await db.write((tx) => deleteUnreferencedBlobs(tx, ids));
      options.onDeleted?.(rows.map(({ id }) => id));
      eraser.addFiles(rows.flatMap((row) => (row.kind === 'file' ? [row.object_id] : [])));
      for (const row of rows) if (row.kind === 'pack') compaction.touch(row.object_id, wiped.delete(row.id));
      if (rows.length === 0) return;
    }
  }

  async function runOnce(): Promise<{ freedBytes: number }> {
    try {
      if (areLeftoversDue || performance.now() - searchedAt > leftoversEveryMs) {
        await (options.findLeftovers ?? findLeftovers)(ending.signal);
        searchedAt = performance.now();
      }
      areLeftoversDue = false;
      const freedBefore = eraser.freedBytes();
      await deleteRows();
      try {
        // On a full disk, it may fail for lack of the space that the eraser frees.
        await compaction.run();
      } finally {
        await eraser.run();
      }
      return { freedBytes: eraser.freedBytes() - freedBefore };
    } catch (error) {
      if (isDatabaseUnavailable(error)) areLeftoversDue = true;
      throw error;
    }
  }

  /** Runs one at a time. */
  function run(): Promise<{ freedBytes: number }> {
    const turn = turns.then(() => freeingSpace(runOnce));
    turns = turn.catch(() => {});
    return turn;
  }

  const rounds = createBackgroundTask({
    everyMs: intervalMs,
    work: run,
    onError: (error) =>
      logger.warn({ err: error }, 'The sweep of the storage failed; it is tried again until it works'),
  });

  /** Finds files without a row: their process died before its transaction, or after deleting the row. */
  async function findLeftovers(): Promise<void> {
    for (const packId of await operations.list(folders.packs)) compaction.touch(packId);
    for await (const names of folders.listFiles()) {
      for (let from = 0; from < names.length && !ending.signal.aborted; from += namesPerBatch) {
        const idle = names.slice(from, from + namesPerBatch).filter((name) => !holds.isHeld(name));
        const pointed = await findPointedObjects(db.scan, idle);
        eraser.addFiles(idle.filter((name) => !pointed.has(name)));
      }
    }
    await findLeftoversBeside();
  }

  async function findLeftoversBeside(): Promise<void> {
    const names = await operations.list(folders.beside);
    for (let from = 0; from < names.length && !ending.signal.aborted; from += namesPerBatch) {
      const batch = names.slice(from, from + namesPerBatch);
      const idle = batch.filter((name) => !holds.isHeld(name));
      const known = await findBesideNames(db.scan, [...new Set(idle.map(besideAssemblyId))]);
      eraser.addBeside(idle.filter((name) => !known.has(name)));
    }
  }

  function soon(): void {
    if (ending.signal.aborted) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      rounds.wake();
    }, delayMs).unref();
  }

  return {
    run,
    soon,
    wipe(blobIds) {
      for (const id of blobIds) wiped.add(id);
      soon();
    },
    start() {
      areLeftoversDue = true;
      rounds.start();
    },
    async close() {
      ending.abort();
      clearTimeout(timer);
      await rounds.stop();
      await turns;
    },
  };
}
