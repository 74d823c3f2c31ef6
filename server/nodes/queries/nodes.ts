import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../storage/database/database.ts';
import type { NodesTable } from '../../storage/database/tables/nodes.ts';

/** Unix milliseconds by the database's clock, which all nodes share. */
const now: RawBuilder<number> = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export async function insertNode(tx: Tx, node: Omit<NodesTable, 'seen_at'>): Promise<void> {
  await tx
    .insertInto('nodes')
    .values({ ...node, seen_at: now })
    .execute();
}

/** Records a heartbeat; false if the node was declared dead. */
export async function touchNode(db: Db, node: { id: string; serving: number; address: string }): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('nodes')
    .set({ seen_at: now, serving: node.serving, address: node.address })
    .where('id', '=', node.id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export type SeenNode = NodesTable & { silent_ms: number };

/** All nodes, oldest first, with how long each has been silent. */
export async function listNodes(db: Db): Promise<SeenNode[]> {
  return db
    .selectFrom('nodes')
    .selectAll()
    .select(sql<number>`${now} - seen_at`.as('silent_ms'))
    .orderBy('started_at')
    .orderBy('id')
    .execute();
}

export async function deleteNode(db: Db, id: string): Promise<void> {
  await db.deleteFrom('nodes').where('id', '=', id).execute();
}

/** Deletes nodes silent for longer than `silentMs`, and earlier processes of the data folder, which only one process uses at a time. */
export async function deleteDeadNodes(
  db: Db,
  { silentMs, place, exceptId }: { silentMs: number; place: string; exceptId: string },
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('nodes')
    .where('id', '<>', exceptId)
    .where((where) => where.or([where(sql<number>`${now} - seen_at`, '>', silentMs), where('place', '=', place)]))
    .executeTakeFirst();
  return Number(numDeletedRows);
}
