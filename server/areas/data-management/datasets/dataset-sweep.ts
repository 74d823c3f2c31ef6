import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { freeingSpace } from '../../../storage/disk-space/index.ts';
import { deleteDatasetRow, listDeletedDatasets } from '../queries/datasets.ts';
import { takeFiles, takeOtherRows } from '../queries/dataset-sweep.ts';

/** Erases what deleted datasets have left: rows in small transactions, and the references to their blobs. */
export type DatasetSweep = {
  /** Looks for what an earlier process has left, and waits for deletes. */
  start(): void;
  /** Says that a dataset was deleted. */
  wake(): void;
  /** Resolves when nothing is left that can be erased now. */
  idle(): Promise<void>;
  /** Ends after the transaction under way; the rest waits for the next start. */
  stop(): Promise<void>;
};

export type DatasetSweepServices = {
  db: Database;
  blobs: Pick<BlobStore, 'release'>;
  onError(error: unknown): void;
};

/** A transaction of this many rows takes some milliseconds: other writers hardly notice. */
const batchRows = 1_000;
const retryMs = 5_000;

export function createDatasetSweep({ db, blobs, onError }: DatasetSweepServices): DatasetSweep {
  const state: { started: boolean; woken: boolean; running: Promise<void> | undefined } = {
    started: false,
    woken: false,
    running: undefined,
  };
  let retry: NodeJS.Timeout | undefined;

  function wake(): void {
    state.woken = true;
    if (state.started) state.running ??= freeingSpace(run);
  }

  async function run(): Promise<void> {
    clearTimeout(retry);
    try {
      while (state.started && state.woken) {
        state.woken = false;
        await eraseAll();
      }
    } catch (error) {
      onError(error);
      retry = setTimeout(wake, retryMs).unref();
    } finally {
      state.running = undefined;
    }
  }

  async function eraseAll(): Promise<void> {
    for (;;) {
      const ids = await listDeletedDatasets(db.scan, 100);
      for (const id of ids) while (state.started && (await eraseSome(id)));
      if (ids.length === 0 || !state.started) return;
    }
  }

  /** One transaction; gives whether something is left. */
  function eraseSome(id: string): Promise<boolean> {
    return db.write(async (tx) => {
      const { taken, blobIds } = await takeFiles(tx, id, batchRows);
      if (blobIds.length > 0) await blobs.release(tx, blobIds);
      if (taken > 0 || (await takeOtherRows(tx, id, batchRows)) > 0) return true;
      await deleteDatasetRow(tx, id);
      return false;
    });
  }

  return {
    start() {
      state.started = true;
      wake();
    },
    wake,
    async idle() {
      while (state.running !== undefined) await state.running;
    },
    async stop() {
      state.started = false;
      clearTimeout(retry);
      await state.running;
    },
  };
}
