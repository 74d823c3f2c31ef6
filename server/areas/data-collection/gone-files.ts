import { collectionSentences } from './sentences.ts';
import type { Collection } from './drive.ts';
import { deleteStatesOf, listFileStates } from './queries/states.ts';

const checkedAtOnce = 2000;

/**
 * Deletes the states of files that earlier runs fetched and the dataset no longer has, so that this run fetches them again. Moved
 * files and replaced content don't count as gone.
 */
export async function forgetGoneFiles({ db, datasets, tasks, context, run, signal }: Collection): Promise<void> {
  let gone = 0;
  for (let after = ''; ;) {
    signal.throwIfAborted();
    const states = await listFileStates(db.read, run.taskId, after, checkedAtOnce);
    const last = states.at(-1);
    if (last === undefined) break;
    after = last.item_key;
    await context.checkpoint({}, async (tx) => {
      const datasetId = (await tasks.lock(tx, run.taskId))?.definition.targetDatasetId ?? null;
      if (datasetId === null) return;
      const files = states.map(({ path, blob_id: blobId, item_key: key }) => ({ path, blobId, key }));
      const keys = (await datasets.filterGone(tx, datasetId, files)).map(({ key }) => key);
      if (keys.length > 0) await deleteStatesOf(tx, run.taskId, keys);
      gone += keys.length;
    });
  }
  if (gone > 0) await context.log('INFO', collectionSentences.FILES_GONE.reason({ count: gone }));
}

/**
 * Logs which row files of earlier runs are no longer at their paths: later runs continue after the last row and don't read those
 * rows again. A moved file can't be told from a deleted one.
 */
export async function nameGoneParts(
  { datasets, tasks, context, run, signal }: Collection,
  { name, paths }: { name: string; paths: readonly string[] },
): Promise<void> {
  let gone = 0;
  for (let from = 0; from < paths.length; from += checkedAtOnce) {
    signal.throwIfAborted();
    await context.checkpoint({}, async (tx) => {
      const datasetId = (await tasks.lock(tx, run.taskId))?.definition.targetDatasetId ?? null;
      if (datasetId === null) return;
      const files = paths.slice(from, from + checkedAtOnce).map((path) => ({ path, blobId: null }));
      gone += (await datasets.filterGone(tx, datasetId, files)).length;
    });
  }
  if (gone > 0)
    await context.log('WARN', collectionSentences.PARTS_GONE.reason({ name, count: gone, all: paths.length }));
}
