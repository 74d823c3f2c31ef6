import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { executeForEach } from '../../../storage/database/insert-rows.ts';
import { contains, dialectOf, rowsTable } from '../../../storage/database/sql.ts';
import type { ShardsTable } from '../../../storage/database/tables/engine.ts';
import type { Counts } from '../../../kernel/counts.ts';

export type PlannedShardRow = Pick<
  ShardsTable,
  'shard_no' | 'pieces' | 'file_part' | 'file_parts' | 'bytes' | 'source_dataset_id'
>;

export async function insertShards(tx: Tx, runId: string, rows: readonly PlannedShardRow[]): Promise<void> {
  const columns = {
    shard_no: 'integer',
    pieces: 'text',
    file_part: 'integer',
    file_parts: 'integer',
    bytes: 'integer',
    source_dataset_id: 'text',
  } as const;
  await sql`insert into shards (run_id, shard_no, status, pieces, file_part, file_parts, joined, bytes, source_dataset_id, first_row, first_line, ledger_lines)
    select ${runId}, shard_no, 'PENDING', pieces, file_part, file_parts, 0, bytes, source_dataset_id, 0, 0, 0 from ${rowsTable(tx, columns, rows)}`.execute(
    tx,
  );
}

export async function deleteShards(tx: Tx, runId: string): Promise<void> {
  await tx.deleteFrom('shards').where('run_id', '=', runId).execute();
}

export async function listPendingShards(db: Db, runId: string, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('shards')
    .select('shard_no')
    .where('run_id', '=', runId)
    .where(sql<boolean>`status = 'PENDING'`)
    .where('shard_no', '>', after)
    .orderBy('shard_no')
    .limit(limit)
    .execute();
  return rows.map(({ shard_no }) => shard_no);
}

export async function getShard(db: Db, runId: string, shardNo: number): Promise<ShardsTable> {
  return db
    .selectFrom('shards')
    .selectAll()
    .where('run_id', '=', runId)
    .where('shard_no', '=', shardNo)
    .executeTakeFirstOrThrow();
}

/** Shards with all their columns, in order. */
export async function listShards(db: Db, runId: string, after: number, limit: number): Promise<ShardsTable[]> {
  return db
    .selectFrom('shards')
    .selectAll()
    .where('run_id', '=', runId)
    .where('shard_no', '>', after)
    .orderBy('shard_no')
    .limit(limit)
    .execute();
}

/** The figures of a finished shard and the blob of its ledger. */
export type ShardFigures = { shard_no: number; figures: string; ledger_blob_id: string };

export async function listShardFigures(db: Db, runId: string): Promise<ShardFigures[]> {
  return db
    .selectFrom('shards')
    .select(['shard_no', sql<string>`figures`.as('figures'), sql<string>`ledger_blob_id`.as('ledger_blob_id')])
    .where('run_id', '=', runId)
    .where('status', '=', 'DONE')
    .orderBy('shard_no')
    .execute();
}

/** A finished shard's counts by verdict and step, as JSON. */
export type ShardVerdicts = { shard_no: number; verdicts: string };

export async function listShardVerdicts(db: Db, runId: string): Promise<ShardVerdicts[]> {
  const verdicts =
    dialectOf(db) === 'postgres' ? sql<string>`figures::jsonb ->> 'verdicts'` : sql<string>`figures ->> '$.verdicts'`;
  return db
    .selectFrom('shards')
    .select(['shard_no', verdicts.as('verdicts')])
    .where('run_id', '=', runId)
    .where('status', '=', 'DONE')
    .orderBy('shard_no')
    .execute();
}

/** Number of files in each finished shard; 0 if it continues the file of the previous shard. */
export async function listShardFiles(db: Db, runId: string): Promise<{ shard_no: number; files: number }[]> {
  const length =
    dialectOf(db) === 'postgres'
      ? sql<number>`jsonb_array_length(pieces::jsonb)`
      : sql<number>`json_array_length(pieces)`;
  return db
    .selectFrom('shards')
    .select(['shard_no', sql<number>`case when file_part > 0 then 0 else ${length} end`.as('files')])
    .where('run_id', '=', runId)
    .where('status', '=', 'DONE')
    .orderBy('shard_no')
    .execute();
}

/** Some shards of a run, in order. */
export async function listShardsBetween(db: Db, runId: string, from: number, to: number): Promise<ShardsTable[]> {
  return db
    .selectFrom('shards')
    .selectAll()
    .where('run_id', '=', runId)
    .where('shard_no', '>=', from)
    .where('shard_no', '<=', to)
    .orderBy('shard_no')
    .execute();
}

/** A finished shard and where its ledger is stored. */
export type ShardLedger = Pick<
  ShardsTable,
  'shard_no' | 'pieces' | 'file_part' | 'file_parts' | 'joined' | 'first_row' | 'first_line' | 'set_aside'
> & {
  ledger_blob_id: string;
  /** Rows of its first piece, including those that the task's conditions skip. */
  first_piece_rows: number;
};

export type ShardLedgerFilter = {
  /** Only these shards. */
  shardNos?: readonly number[] | undefined;
  /** Only shards whose pieces contain this text, as written in JSON. */
  holding?: string | undefined;
  /** Only shards with failed samples. */
  isFailed?: boolean;
};

export async function listShardLedgers(
  db: Db,
  runId: string,
  { shardNos, holding, isFailed }: ShardLedgerFilter,
  after: number,
  limit: number,
): Promise<ShardLedger[]> {
  const rows =
    dialectOf(db) === 'postgres'
      ? sql<number>`(figures::jsonb -> 'rows' ->> 0)::integer`
      : sql<number>`figures ->> '$.rows[0]'`;
  let query = db
    .selectFrom('shards')
    .select(['shard_no', 'pieces', 'file_part', 'file_parts', 'joined', 'first_row', 'first_line', 'set_aside'])
    .select([sql<string>`ledger_blob_id`.as('ledger_blob_id'), rows.as('first_piece_rows')])
    .where('run_id', '=', runId)
    .where('status', '=', 'DONE')
    .where('shard_no', '>', after)
    .orderBy('shard_no')
    .limit(limit);
  if (isFailed === true) query = query.where('count_failed', '>', 0);
  if (shardNos !== undefined) query = query.where('shard_no', 'in', [...shardNos]);
  if (holding !== undefined) query = query.where(contains(db, sql`pieces`, holding));
  return query.execute();
}

export type ShardDone = Pick<ShardsTable, 'outputs' | 'figures' | 'ledger_blob_id' | 'ledger_lines' | 'set_aside'>;

/** Stores the checkpoint of a shard; false if it already has one. */
export async function completeShard(
  tx: Tx,
  runId: string,
  shardNo: number,
  done: ShardDone,
  counts: Counts,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('shards')
    .set({
      ...done,
      status: 'DONE',
      count_in: counts.in,
      count_kept: counts.kept,
      count_changed: counts.changed,
      count_dropped: counts.dropped,
      count_failed: counts.failed,
      count_emitted: counts.emitted,
    })
    .where('run_id', '=', runId)
    .where('shard_no', '=', shardNo)
    .where('status', '=', 'PENDING')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** First shards of large files whose outputs are not joined yet. */
export async function listUnjoined(db: Db, runId: string): Promise<Pick<ShardsTable, 'shard_no' | 'file_parts'>[]> {
  return db
    .selectFrom('shards')
    .select(['shard_no', 'file_parts'])
    .where('run_id', '=', runId)
    .where('file_parts', '>', 1)
    .where('file_part', '=', 0)
    .where('joined', '=', 0)
    .orderBy('shard_no')
    .execute();
}

/** Stores the joined output of a large file in its first shard, and the first row of each of its shards. */
export async function setJoined(
  tx: Tx,
  runId: string,
  shards: readonly { shard_no: number; outputs: string; first_row: number; first_line: number | null }[],
): Promise<void> {
  // One joined update would make SQLite scan all rows for each shard of the run: 57 s of its thread for 8,000 parts.
  if (dialectOf(tx) === 'sqlite') {
    const one =
      'update shards set joined = 1, outputs = ?, first_row = ?, first_line = ? where run_id = ? and shard_no = ?';
    const values = shards.map((row) => [row.outputs, row.first_row, row.first_line, runId, row.shard_no]);
    await executeForEach(tx, one, values);
    return;
  }
  const columns = { shard_no: 'integer', outputs: 'text', first_row: 'integer', first_line: 'integer' } as const;
  await sql`update shards set joined = 1, outputs = rows.outputs, first_row = rows.first_row, first_line = rows.first_line
    from ${rowsTable(tx, columns, shards)} where shards.run_id = ${runId} and shards.shard_no = rows.shard_no`.execute(
    tx,
  );
}

/** Whether a shard of the run has set failed samples aside. */
export async function hasSetAside(db: Db, runId: string): Promise<boolean> {
  const found = await db
    .selectFrom('shards')
    .select('shard_no')
    .where('run_id', '=', runId)
    .where('set_aside', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Clears the outputs of a run after their blobs were released or taken over by another run. */
export async function clearOutputs(tx: Tx, runId: string): Promise<void> {
  await tx.updateTable('shards').set({ outputs: null }).where('run_id', '=', runId).execute();
}

/** Copies all shards of a run to a new run; finished ones keep their figures and outputs. */
export async function copyShards(tx: Tx, fromRunId: string, toRunId: string): Promise<void> {
  const columns = sql.raw(
    'shard_no, status, pieces, file_part, file_parts, joined, bytes, source_dataset_id, outputs, first_row, first_line, figures, ledger_blob_id, set_aside, ' +
      'ledger_lines, count_in, count_kept, count_changed, count_dropped, count_failed, count_emitted',
  );
  await sql`insert into shards (run_id, ${columns}) select ${toRunId}, ${columns} from shards where run_id = ${fromRunId}`.execute(
    tx,
  );
}
