import { AppError } from '../../kernel/errors.ts';
import type { FailureCounts } from '../../kernel/failure-counts.ts';
import { reasonColumns } from '../../kernel/sentences/index.ts';
import { collectionSentences } from './sentences.ts';
import { countFailure, noCounts, RunFailure } from '../../runs/index.ts';
import type { CollectionItemsTable } from '../../storage/database/tables/data-collection.ts';
import type { Collection } from './drive.ts';
import { listStagedItems, settleItems } from './queries/items.ts';

const checkedAtOnce = 200;
const reason = collectionSentences.STAGED_DAMAGED.reason({});

/**
 * Reads content fetched by an earlier drive of the run, or by the run that it resumes: content that was damaged since must not
 * land. `before`: the number of the first item of this drive.
 */
export async function failDamagedItems(collection: Collection, before: number): Promise<void> {
  const { db, run, signal } = collection;
  for (let after = -1; after < before - 1;) {
    const items = (await listStagedItems(db.read, run.id, after, checkedAtOnce)).filter(
      ({ item_no }) => item_no < before,
    );
    const last = items.at(-1);
    if (last === undefined) return;
    after = last.item_no;
    const damaged: CollectionItemsTable[] = [];
    for (const item of items) {
      signal.throwIfAborted();
      if (!(await isIntact(collection, item))) damaged.push(item);
    }
    if (damaged.length > 0) await fail(collection, damaged);
  }
}

async function isIntact(
  { blobs }: Collection,
  { staged_blob_id: blobId, size_bytes: sizeBytes }: CollectionItemsTable,
): Promise<boolean> {
  let read = 0;
  try {
    for await (const { bytes } of blobs.readAll([blobId ?? ''])) read += bytes.length;
    return read === sizeBytes;
  } catch (error) {
    if (error instanceof AppError && ['BLOB_DAMAGED', 'BLOB_MISSING'].includes(error.code)) return false;
    throw error;
  }
}

async function fail({ context, run, blobs }: Collection, items: readonly CollectionItemsTable[]): Promise<void> {
  // Later rows were read from the position where this part ends, so it can't be replaced alone.
  if (items.some(({ set_key, item_key }) => set_key !== null && set_key !== item_key))
    throw new RunFailure(collectionSentences.STAGED_ROWS_DAMAGED.reason({}));
  const counts = { ...noCounts };
  const failures: FailureCounts = new Map();
  for (const { inputs } of items) {
    counts.kept -= inputs;
    counts.emitted -= inputs;
    counts.failed += inputs;
    countFailure(failures, reason, inputs);
  }
  await context.checkpoint({ counts, failures }, async (tx) => {
    const settled = items.map(({ item_no, path }) => ({
      item_no,
      verdict: 'FAILED' as const,
      ...reasonColumns('reason', reason),
      path,
    }));
    await settleItems(tx, run.id, settled);
    await blobs.release(
      tx,
      items.flatMap(({ staged_blob_id: id }) => id ?? []),
    );
  });
}
