import { createBackgroundTask, type BackgroundTask } from '../../../kernel/background-task.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { freeingSpace } from '../../../storage/disk-space/index.ts';
import { deleteDatasetRow, listDeletedDatasets } from '../queries/datasets.ts';
import { takeFiles, takeOtherRows } from '../queries/dataset-sweep.ts';

/**
 * Erases the rows of deleted datasets in small transactions, and releases their blobs. Starts with those of an earlier process;
 * `wake` announces a deleted dataset. Stops after the current transaction and continues at the next start.
 */
export type DatasetSweep = BackgroundTask;

export type DatasetSweepServices = {
  db: Database;
  blobs: Pick<BlobStore, 'release'>;
  onError(error: unknown): void;
};

/** A transaction of this many rows takes a few milliseconds: other writers hardly notice. */
const batchRows = 1_000;

export function createDatasetSweep({ db, blobs, onError }: DatasetSweepServices): DatasetSweep {
  async function eraseAll(signal: AbortSignal): Promise<void> {
    for (;;) {
      const ids = await listDeletedDatasets(db.scan, 100);
      for (const id of ids) while (!signal.aborted && (await eraseSome(id)));
      if (ids.length === 0 || signal.aborted) return;
    }
  }

  /** Runs one transaction; returns whether anything is left. */
  function eraseSome(id: string): Promise<boolean> {
    return db.write(async (tx) => {
      const { taken, blobIds } = await takeFiles(tx, id, batchRows);
      if (blobIds.length > 0) await blobs.release(tx, blobIds);
      if (taken > 0 || (await takeOtherRows(tx, id, batchRows)) > 0) return true;
      await deleteDatasetRow(tx, id);
      return false;
    });
  }

  return createBackgroundTask({ work: (signal) => freeingSpace(() => eraseAll(signal)), onError });
}
