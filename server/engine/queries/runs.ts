import { sql } from 'kysely';
import type { PageRequest, SortDirection } from '../../kernel/page.ts';
import type { Db, Tx } from '../../storage/database/database.ts';
import { dialectOf } from '../../storage/database/sql.ts';
import type { RunDatasetsTable, RunsTable } from '../../storage/database/tables/engine.ts';
import type { Counts } from '../shards/shard.ts';
import { deleteShards } from './shards.ts';

export async function insertRun(tx: Tx, row: RunsTable): Promise<void> {
  await tx.insertInto('runs').values(row).execute();
}

export async function findRun(db: Db, id: string): Promise<RunsTable | undefined> {
  return db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The same, and nobody else changes it until this transaction ends. */
export async function lockRun(tx: Tx, id: string): Promise<RunsTable | undefined> {
  const query = tx.selectFrom('runs').selectAll().where('id', '=', id);
  return (dialectOf(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

export async function listRuns(
  db: Db,
  area: string,
  taskId: string,
  { page, size }: PageRequest,
  direction: SortDirection,
): Promise<{ rows: RunsTable[]; total: number }> {
  const rows = await db
    .selectFrom('runs')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('area', '=', area)
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(size)
    .offset(page * size)
    .execute();
  const { total } = await db
    .selectFrom('runs')
    .select((query) => query.fn.countAll<number>().as('total'))
    .where('task_id', '=', taskId)
    .where('area', '=', area)
    .executeTakeFirstOrThrow();
  return { rows, total };
}

export async function listUnfinishedRuns(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where(sql<boolean>`status in ('QUEUED', 'RUNNING')`)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Takes an unfinished run over: whoever had it before can't write any more. Undefined when it is finished. */
export async function takeRun(tx: Tx, id: string, startedAt: string): Promise<RunsTable | undefined> {
  return tx
    .updateTable('runs')
    .set({
      status: 'RUNNING',
      epoch: sql<number>`epoch + 1`,
      started_at: sql<string>`coalesce(started_at, ${startedAt})`,
    })
    .where('id', '=', id)
    .where(sql<boolean>`status in ('QUEUED', 'RUNNING')`)
    .returningAll()
    .executeTakeFirst();
}

/** Ends a run that is still going on, of that epoch when one is given; tells whether there was one. */
export async function endRun(
  tx: Tx,
  end: {
    id: string;
    epoch?: number;
    status: 'COMPLETED' | 'FAILED' | 'STOPPED';
    finishedAt: string;
    error: string | null;
  },
): Promise<boolean> {
  let query = tx
    .updateTable('runs')
    .set({ status: end.status, finished_at: end.finishedAt, error: end.error })
    .where('id', '=', end.id)
    .where(sql<boolean>`status in ('QUEUED', 'RUNNING')`);
  if (end.epoch !== undefined) query = query.where('epoch', '=', end.epoch);
  const { numUpdatedRows } = await query.executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function setPlanned(tx: Tx, id: string, epoch: number, bytesTotal: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('runs')
    .set({ planned: 1, bytes_total: bytesTotal })
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('status', '=', 'RUNNING')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Adds a shard's figures to its run; false when the run isn't this process's any more. */
export async function addToRun(tx: Tx, id: string, epoch: number, bytes: number, counts: Counts): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('runs')
    .set({
      bytes_done: sql<number>`bytes_done + ${bytes}`,
      count_in: sql<number>`count_in + ${counts.in}`,
      count_kept: sql<number>`count_kept + ${counts.kept}`,
      count_changed: sql<number>`count_changed + ${counts.changed}`,
      count_dropped: sql<number>`count_dropped + ${counts.dropped}`,
      count_failed: sql<number>`count_failed + ${counts.failed}`,
      count_emitted: sql<number>`count_emitted + ${counts.emitted}`,
    })
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('status', '=', 'RUNNING')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function insertRunDatasets(tx: Tx, rows: readonly RunDatasetsTable[]): Promise<void> {
  await tx
    .insertInto('run_datasets')
    .values([...rows])
    .execute();
}

/** Writes down which dataset, and version of it, a run's result went into. */
export async function setTarget(tx: Tx, runId: string, datasetId: string, version: number): Promise<void> {
  await tx.deleteFrom('run_datasets').where('run_id', '=', runId).where('role', '=', 'TARGET').execute();
  await insertRunDatasets(tx, [{ run_id: runId, dataset_id: datasetId, role: 'TARGET', version }]);
}

/** An unfinished run that reads or writes the dataset. */
export async function findRunOfDataset(
  db: Db,
  datasetId: string,
): Promise<{ id: string; task_id: string } | undefined> {
  return db
    .selectFrom('run_datasets')
    .innerJoin('runs', 'runs.id', 'run_datasets.run_id')
    .select(['runs.id', 'runs.task_id'])
    .where('run_datasets.dataset_id', '=', datasetId)
    .where(sql<boolean>`runs.status in ('QUEUED', 'RUNNING')`)
    .executeTakeFirst();
}

export async function deleteRun(tx: Tx, runId: string): Promise<void> {
  await deleteShards(tx, runId);
  await tx.deleteFrom('run_logs').where('run_id', '=', runId).execute();
  await tx.deleteFrom('run_datasets').where('run_id', '=', runId).execute();
  await tx.deleteFrom('runs').where('id', '=', runId).execute();
}

export async function listRunIds(db: Db, taskId: string): Promise<string[]> {
  const rows = await db.selectFrom('runs').select('id').where('task_id', '=', taskId).execute();
  return rows.map(({ id }) => id);
}
