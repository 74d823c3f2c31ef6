import { type RawBuilder, sql } from 'kysely';
import { offsetOf, type PageRequest } from '../../../kernel/page.ts';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { executeForEach, insertRows } from '../../../storage/database/insert-rows.ts';
import { contains, dialectOf, rowsTable } from '../../../storage/database/sql.ts';
import type { CollectionItemsTable } from '../../../storage/database/tables/data-collection.ts';

export const insertItems: (tx: Tx, rows: readonly CollectionItemsTable[]) => Promise<void> = insertRows(
  'collection_items',
  {
    run_id: 'text',
    item_no: 'integer',
    name: 'text',
    search_text: 'text',
    item_key: 'text',
    verdict: 'text',
    reason: 'text',
    reason_sentence: 'text',
    path: 'text',
    inputs: 'integer',
    size_bytes: 'integer',
    fetched_at: 'text',
    evidence: 'text',
    stamp: 'text',
    set_key: 'text',
    position: 'text',
    staged_blob_id: 'text',
  },
);

/** Whether the run has a verdict on the item. */
export async function hasItem(db: Db, runId: string, itemKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('collection_items')
    .select('item_no')
    .where('run_id', '=', runId)
    .where('item_key', '=', itemKey)
    .executeTakeFirst();
  return row !== undefined;
}

/** Items that earlier runs of the task fetched and the source no longer offers: the first names, and their number. */
export async function listUnlisted(
  db: Db,
  { taskId, runId }: { taskId: string; runId: string },
  limit: number,
): Promise<{ names: string[]; count: number }> {
  const unlisted = db
    .selectFrom('collection_states as s')
    .where('s.task_id', '=', taskId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('collection_items as i')
            .select('i.item_no')
            .where('i.run_id', '=', runId)
            .whereRef('i.item_key', '=', 's.item_key'),
        ),
      ),
    );
  const names = await unlisted.select('s.name').orderBy('s.name').limit(limit).execute();
  if (names.length < limit) return { names: names.map(({ name }) => name), count: names.length };
  const { count } = await unlisted.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
  return { names: names.map(({ name }) => name), count: Number(count) };
}

/** The parts of a set of rows that the run has read: their number, and the position after the last one. */
export async function findParts(
  db: Db,
  runId: string,
  setKey: string,
): Promise<{ parts: number; rows: number; position: string | null }> {
  const { rows } = await sql<{ parts: number; rows: number; position: string | null }>`
    select count(*) as parts, coalesce(sum(inputs), 0) as rows,
      (select position from collection_items where run_id = ${runId} and set_key = ${setKey}
        order by item_no desc limit 1) as position
    from collection_items where run_id = ${runId} and set_key = ${setKey}`.execute(db);
  const [found] = rows;
  return {
    parts: found?.parts ?? 0,
    rows: found?.rows ?? 0,
    position: found?.position ?? null,
  };
}

export type ItemFilter = {
  runId: string;
  verdict?: CollectionItemsTable['verdict'] | undefined;
  search?: string | undefined;
};

export async function listItems(
  db: Db,
  filter: ItemFilter,
  { page, size }: PageRequest,
): Promise<{ rows: CollectionItemsTable[]; total: number }> {
  const where = conditionsOf(db, filter);
  const { rows } = await sql<CollectionItemsTable>`select * from collection_items where ${where}
    order by item_no limit ${size} offset ${offsetOf({ page, size })}`.execute(db);
  const counted = await sql<{ total: number }>`select count(*) as total from collection_items where ${where}`.execute(
    db,
  );
  return { rows, total: counted.rows[0]?.total ?? 0 };
}

function conditionsOf(db: Db, { runId, verdict, search }: ItemFilter): RawBuilder<boolean> {
  const conditions = [sql`run_id = ${runId}`];
  if (verdict !== undefined) conditions.push(sql`verdict = ${verdict}`);
  if (search !== undefined) conditions.push(contains(db, sql`search_text`, search));
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** Items whose content waits to land, after a number. */
export async function listStagedItems(
  db: Db,
  runId: string,
  after: number,
  limit: number,
): Promise<CollectionItemsTable[]> {
  return db
    .selectFrom('collection_items')
    .selectAll()
    .where('run_id', '=', runId)
    .where('item_no', '>', after)
    .where('staged_blob_id', 'is not', null)
    .orderBy('item_no')
    .limit(limit)
    .execute();
}

/** Unchanged items with new validators, after a number. */
export async function listRestampedItems(
  db: Db,
  runId: string,
  after: number,
  limit: number,
): Promise<CollectionItemsTable[]> {
  return db
    .selectFrom('collection_items')
    .selectAll()
    .where('run_id', '=', runId)
    .where('verdict', '=', 'DROPPED')
    .where('item_no', '>', after)
    .where('stamp', 'is not', null)
    .orderBy('item_no')
    .limit(limit)
    .execute();
}

export type LandedItem = Pick<CollectionItemsTable, 'item_no' | 'verdict' | 'reason' | 'reason_sentence' | 'path'>;

/** Sets the outcome of landing; the content now belongs to the dataset. */
export async function settleItems(tx: Tx, runId: string, items: readonly LandedItem[]): Promise<void> {
  // In a single statement, SQLite would scan all of them for each item of the run.
  if (dialectOf(tx) === 'sqlite') {
    const one =
      'update collection_items set staged_blob_id = null, verdict = ?, reason = ?, reason_sentence = ?, path = ? where run_id = ? and item_no = ?';
    const rows = items.map((item) => [item.verdict, item.reason, item.reason_sentence, item.path, runId, item.item_no]);
    await executeForEach(tx, one, rows);
    return;
  }
  const columns = {
    item_no: 'integer',
    verdict: 'text',
    reason: 'text',
    reason_sentence: 'text',
    path: 'text',
  } as const;
  await sql`update collection_items set staged_blob_id = null, verdict = landed.verdict, reason = landed.reason,
      reason_sentence = landed.reason_sentence, path = landed.path
    from ${rowsTable(tx, columns, items, 'landed')}
    where collection_items.run_id = ${runId} and collection_items.item_no = landed.item_no`.execute(tx);
}

export async function listStagedBlobs(db: Db, runId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('collection_items')
    .select('staged_blob_id')
    .where('run_id', '=', runId)
    .where('staged_blob_id', 'is not', null)
    .execute();
  return rows.flatMap(({ staged_blob_id: id }) => id ?? []);
}

export async function clearStagedBlobs(tx: Tx, runId: string): Promise<void> {
  await tx.updateTable('collection_items').set({ staged_blob_id: null }).where('run_id', '=', runId).execute();
}

/** Copies the items of a run, with their staged blobs, to the run that resumes it; call `clearStagedBlobs` for the old one. */
export async function copyItems(tx: Tx, fromRunId: string, toRunId: string): Promise<void> {
  const columns = sql.raw(
    'item_no, name, search_text, item_key, verdict, reason, reason_sentence, path, inputs, size_bytes, fetched_at, evidence, stamp, set_key, position, staged_blob_id',
  );
  await sql`insert into collection_items (run_id, ${columns})
    select ${toRunId}, ${columns} from collection_items where run_id = ${fromRunId}`.execute(tx);
}

export async function deleteItems(tx: Tx, runId: string): Promise<void> {
  await tx.deleteFrom('collection_items').where('run_id', '=', runId).execute();
}
