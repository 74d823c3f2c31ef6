import { sql } from 'kysely';
import { offsetOf, type PageRequest } from '../../../kernel/page.ts';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { executeForEach, insertRows } from '../../../storage/database/insert-rows.ts';
import { dialectOf, keysTable, rowsTable } from '../../../storage/database/sql.ts';
import type { CollectionStatesTable } from '../../../storage/database/tables/data-collection.ts';

export async function findState(db: Db, taskId: string, itemKey: string): Promise<CollectionStatesTable | undefined> {
  return db
    .selectFrom('collection_states')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('item_key', '=', itemKey)
    .executeTakeFirst();
}

export async function findStates(
  db: Db,
  taskId: string,
  itemKeys: readonly string[],
): Promise<CollectionStatesTable[]> {
  return db
    .selectFrom('collection_states')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('item_key', 'in', sql<string>`${keysTable(db, itemKeys)}`)
    .execute();
}

/** States of single files after a key, by key; without row files, which later runs continue. */
export async function listFileStates(
  db: Db,
  taskId: string,
  after: string,
  limit: number,
): Promise<Pick<CollectionStatesTable, 'item_key' | 'path' | 'blob_id'>[]> {
  return db
    .selectFrom('collection_states')
    .select(['item_key', 'path', 'blob_id'])
    .where('task_id', '=', taskId)
    .where('item_key', '>', after)
    .where('parts', '=', 0)
    .orderBy('item_key')
    .limit(limit)
    .execute();
}

export async function deleteStatesOf(tx: Tx, taskId: string, itemKeys: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('collection_states')
    .where('task_id', '=', taskId)
    .where('item_key', 'in', sql<string>`${keysTable(tx, itemKeys)}`)
    .execute();
}

/** Which item holds each of these paths, by their hashes. */
export async function findPathHolders(
  db: Db,
  taskId: string,
  pathKeys: readonly string[],
): Promise<{ item_key: string; path_key: string }[]> {
  return db
    .selectFrom('collection_states')
    .select(['item_key', 'path_key'])
    .where('task_id', '=', taskId)
    .where('path_key', 'in', sql<string>`${keysTable(db, pathKeys)}`)
    .execute();
}

export const upsertStates: (tx: Tx, rows: readonly CollectionStatesTable[]) => Promise<void> = insertRows(
  'collection_states',
  {
    task_id: 'text',
    item_key: 'text',
    name: 'text',
    path: 'text',
    path_key: 'text',
    stamp: 'text',
    blob_id: 'text',
    size_bytes: 'integer',
    position: 'text',
    parts: 'integer',
    fetched_at: 'text',
  },
  `on conflict (task_id, item_key) do update set name = excluded.name, path = excluded.path, path_key = excluded.path_key,
    stamp = excluded.stamp, blob_id = excluded.blob_id, size_bytes = excluded.size_bytes, position = excluded.position,
    parts = excluded.parts, fetched_at = excluded.fetched_at`,
);

/** Sets the validators of items whose content has stayed the same. */
export async function restampStates(
  tx: Tx,
  taskId: string,
  stamps: readonly { item_key: string; stamp: string | null }[],
): Promise<void> {
  if (dialectOf(tx) === 'sqlite') {
    const one = 'update collection_states set stamp = ? where task_id = ? and item_key = ?';
    const rows = stamps.map(({ item_key, stamp }) => [stamp, taskId, item_key]);
    await executeForEach(tx, one, rows);
    return;
  }
  await sql`update collection_states set stamp = changed.stamp
    from ${rowsTable(tx, { item_key: 'text', stamp: 'text' }, stamps, 'changed')}
    where collection_states.task_id = ${taskId} and collection_states.item_key = changed.item_key`.execute(tx);
}

export async function listStates(
  db: Db,
  taskId: string,
  { page, size }: PageRequest,
): Promise<{ rows: CollectionStatesTable[]; total: number }> {
  const { rows } = await sql<CollectionStatesTable>`select * from collection_states where task_id = ${taskId}
    order by name, item_key limit ${size} offset ${offsetOf({ page, size })}`.execute(db);
  const counted = await sql<{ total: number }>`select count(*) as total from collection_states
    where task_id = ${taskId}`.execute(db);
  return { rows, total: counted.rows[0]?.total ?? 0 };
}

export async function deleteStates(tx: Tx, taskId: string): Promise<void> {
  await tx.deleteFrom('collection_states').where('task_id', '=', taskId).execute();
}
