import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { rowsTable } from '../../../storage/database/sql.ts';
import type { ReferenceShardsTable } from '../../../storage/database/tables/engine.ts';

export type PlannedReferenceRow = Pick<
  ReferenceShardsTable,
  'shard_no' | 'step' | 'reference' | 'pieces' | 'file_part' | 'bytes'
>;

export async function insertReferenceShards(
  tx: Tx,
  runId: string,
  rows: readonly PlannedReferenceRow[],
): Promise<void> {
  const columns = {
    shard_no: 'integer',
    step: 'integer',
    reference: 'integer',
    pieces: 'text',
    file_part: 'integer',
    bytes: 'integer',
  } as const;
  await sql`insert into reference_shards (run_id, shard_no, step, reference, pieces, file_part, bytes, samples, rows, lines, unread, skipped)
    select ${runId}, shard_no, step, reference, pieces, file_part, bytes, 0, 0, 0, 0, 0 from ${rowsTable(tx, columns, rows)}`.execute(
    tx,
  );
}

export async function listUnreadReferenceShards(
  db: Db,
  runId: string,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('reference_shards')
    .select('shard_no')
    .where('run_id', '=', runId)
    .where('blob_id', 'is', null)
    .where('shard_no', '>', after)
    .orderBy('shard_no')
    .limit(limit)
    .execute();
  return rows.map(({ shard_no }) => shard_no);
}

export async function getReferenceShard(db: Db, runId: string, shardNo: number): Promise<ReferenceShardsTable> {
  return db
    .selectFrom('reference_shards')
    .selectAll()
    .where('run_id', '=', runId)
    .where('shard_no', '=', shardNo)
    .executeTakeFirstOrThrow();
}

/** Stores the checkpoint of a shard; false if it already has one. */
export async function completeReferenceShard(
  tx: Tx,
  { runId, shardNo }: { runId: string; shardNo: number },
  read: Pick<ReferenceShardsTable, 'blob_id' | 'samples' | 'rows' | 'lines' | 'unread' | 'skipped'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('reference_shards')
    .set(read)
    .where('run_id', '=', runId)
    .where('shard_no', '=', shardNo)
    .where('blob_id', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export type ReadReferenceShard = Pick<ReferenceShardsTable, 'reference' | 'file_part' | 'rows' | 'lines'> & {
  blob_id: string;
};

/** The shards of the datasets that a step compares with, in order; all of them are read. */
export async function listReferenceShards(db: Db, runId: string, step: number): Promise<ReadReferenceShard[]> {
  return db
    .selectFrom('reference_shards')
    .select(['reference', 'blob_id', 'file_part', 'rows', 'lines'])
    .where('run_id', '=', runId)
    .where('step', '=', step)
    .$narrowType<{ blob_id: string }>()
    .orderBy('shard_no')
    .execute();
}

export type ReferenceSum = Pick<ReferenceShardsTable, 'step' | 'reference' | 'samples' | 'unread' | 'skipped'>;

/** Totals read of each dataset that a step names. */
export async function sumReferences(db: Db, runId: string): Promise<ReferenceSum[]> {
  const { rows } = await sql<ReferenceSum>`select step, reference, cast(sum(samples) as integer) as samples,
      cast(sum(unread) as integer) as unread, cast(sum(skipped) as integer) as skipped
    from reference_shards where run_id = ${runId} group by step, reference order by step, reference`.execute(db);
  return rows;
}

/** Deletes the shards of the datasets that a run compares with; returns their blob ids, one per reference. */
export async function deleteReferenceShards(tx: Tx, runId: string): Promise<string[]> {
  const rows = await tx.deleteFrom('reference_shards').where('run_id', '=', runId).returning('blob_id').execute();
  return rows.flatMap(({ blob_id }) => blob_id ?? []);
}

export async function moveReferenceShards(tx: Tx, fromRunId: string, toRunId: string): Promise<void> {
  await tx.updateTable('reference_shards').set({ run_id: toRunId }).where('run_id', '=', fromRunId).execute();
}
