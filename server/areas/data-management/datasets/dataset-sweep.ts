import { createBackgroundTask, type BackgroundTask } from '../../../kernel/background-task.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { freeingSpace } from '../../../storage/disk-space/index.ts';
import { deleteDatasetRow, listDeletedDatasets } from '../queries/datasets.ts';
import { takeFiles, takeOtherRows } from '../queries/dataset-sweep.ts';

/**
 * Erases what deleted datasets have left: rows in small transactions, and the references to their blobs. Starts with what an
 * earlier process has left; `wake` says that a dataset was deleted. It ends after the transaction under way, and the rest
 * waits for the next start.
 */
export type DatasetSweep = BackgroundTask;

export type DatasetSweepServices = {
  db: Database;
  blobs: Pick<BlobStore, 'release'>;
  onError(error: unknown): void;
};

/** A transaction of this many rows takes some milliseconds: other writers hardly notice. */
const batchRows = 1_000;

export function createDatasetSweep({ db, blobs, onError }: DatasetSweepServices): DatasetSweep {
  async function eraseAll(signal: AbortSignal): Promise<void> {
    for (;;) {
      const ids = await listDeletedDatasets(db.scan, 100);
      for (const id of ids) while (!signal.aborted && (await eraseSome(id)));
      if (ids.length === 0 || signal.aborted) return;
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

  return createBackgroundTask({ work: (signal) => freeingSpace(() => eraseAll(signal)), onError });
}
