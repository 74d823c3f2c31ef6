import type { Reason } from '../../kernel/reason.ts';
import { reasonColumns, type ReasonColumns } from '../../kernel/stored-reason.ts';
import { sql } from 'kysely';
import { offsetOf, type PageRequest, type SortDirection } from '../../kernel/page.ts';
import type { Db, Tx } from '../../storage/database/database.ts';
import { insertRows } from '../../storage/database/insert-rows.ts';
import { prepared } from '../../storage/database/prepared.ts';
import { dialectOf, keysTable } from '../../storage/database/sql.ts';
import type { RunDatasetsTable, RunsTable } from '../../storage/database/tables/runs.ts';
import type { Counts } from '../../kernel/counts.ts';
import { now } from './leases.ts';

export const insertRuns: (tx: Tx, rows: readonly RunsTable[]) => Promise<void> = insertRows('runs', {
  id: 'text',
  area: 'text',
  kind: 'text',
  task_id: 'text',
  owner: 'text',
  turn: 'integer',
  number: 'integer',
  status: 'text',
  phase: 'text',
  phase_samples: 'integer',
  details: 'text',
  created_at: 'text',
  created_by: 'text',
  started_at: 'text',
  finished_at: 'text',
  error: 'text',
  error_sentence: 'text',
  resumed_from: 'text',
  failed_of: 'text',
  epoch: 'integer',
  process_ends: 'integer',
  lease_place: 'text',
  lease_until: 'integer',
  bound_to: 'text',
  planned: 'integer',
  work_total: 'integer',
  work_done: 'integer',
  count_in: 'integer',
  count_kept: 'integer',
  count_changed: 'integer',
  count_dropped: 'integer',
  count_failed: 'integer',
  count_emitted: 'integer',
  count_skipped: 'integer',
  failures: 'text',
});

/** The number for the next run of a task. */
export async function nextRunNumber(tx: Tx, area: string, taskId: string): Promise<number> {
  const { next } = await tx
    .selectFrom('runs')
    .select(sql<number>`coalesce(max(number), 0) + 1`.as('next'))
    .where('task_id', '=', taskId)
    .where('area', '=', area)
    .executeTakeFirstOrThrow();
  return next;
}

/**
 * The first turn among waiting runs of a kind that the same process can drive, and the owner's last; null if none wait.
 */
export async function findTurns(
  tx: Tx,
  { owner, kind, boundTo }: { owner: string; kind: string; boundTo: string | null },
): Promise<{ first: number | null; last: number | null }> {
  // The first condition lets SQLite use the partial index.
  const { rows } = await sql<{ first: number | null; last: number | null }>`select
    (select turn from runs where status in ('QUEUED', 'RUNNING') and status = 'QUEUED' and kind = ${kind}
      and coalesce(bound_to, '') = ${boundTo ?? ''} order by turn, created_at, id limit 1) as first,
    (select max(turn) from runs where status = 'QUEUED' and owner = ${owner}) as last`.execute(tx);
  return rows[0] ?? { first: null, last: null };
}

export async function findRun(db: Db, id: string): Promise<RunsTable | undefined> {
  return db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findLatestCompleted(db: Db, area: string, taskId: string): Promise<RunsTable | undefined> {
  return db
    .selectFrom('runs')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('area', '=', area)
    .where('status', '=', 'COMPLETED')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The runs with these ids, in no particular order. */
export async function findRuns(db: Db, ids: readonly string[]): Promise<RunsTable[]> {
  return db
    .selectFrom('runs')
    .selectAll()
    .where(sql<boolean>`id in ${keysTable(db, ids)}`)
    .execute();
}

/** Finds a run and locks it until the end of the transaction. */
export async function lockRun(tx: Tx, id: string): Promise<RunsTable | undefined> {
  const query = tx.selectFrom('runs').selectAll().where('id', '=', id);
  return (dialectOf(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

export type RunFilter = {
  area?: string | undefined;
  taskId?: string | undefined;
  /** Any of these. */
  statuses?: readonly RunsTable['status'][] | undefined;
  createdBy?: string | undefined;
};

export async function listRuns(
  db: Db,
  filter: RunFilter,
  { page, size }: PageRequest,
  direction: SortDirection,
): Promise<{ rows: RunsTable[]; total: number }> {
  const conditions = [
    ...(filter.area === undefined ? [] : [sql`area = ${filter.area}`]),
    ...(filter.taskId === undefined ? [] : [sql`task_id = ${filter.taskId}`]),
    ...(filter.statuses === undefined ? [] : [sql`status in (${sql.join(filter.statuses)})`]),
    ...(filter.createdBy === undefined ? [] : [sql`created_by = ${filter.createdBy}`]),
  ];
  const all = conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`;
  const rows = await db
    .selectFrom('runs')
    .selectAll()
    .where(all)
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(size)
    .offset(offsetOf({ page, size }))
    .execute();
  const { total } = await db
    .selectFrom('runs')
    .select((query) => query.fn.countAll<number>().as('total'))
    .where(all)
    .executeTakeFirstOrThrow();
  return { rows, total };
}

/** Ends an unfinished run, if it has the given epoch; returns its updated row. */
export async function endRun(
  tx: Tx,
  end: {
    id: string;
    epoch?: number;
    status: 'COMPLETED' | 'FAILED' | 'STOPPED';
    finishedAt: string;
    error: Reason | null;
  },
): Promise<RunsTable | undefined> {
  const { id, epoch = null, status, finishedAt, error } = end;
  const [row] = await setEnd(tx, { id, epoch, status, finishedAt, ...reasonColumns('error', error) });
  return row;
}

const setEnd = prepared<
  { id: string; epoch: number | null; status: string; finishedAt: string } & ReasonColumns<'error'>,
  RunsTable
>(
  (_, p) => sql`update runs set status = ${p('status')}, finished_at = ${p('finishedAt')}, error = ${p('error')},
      error_sentence = ${p('error_sentence')}, lease_place = null, lease_until = null
    where id = ${p('id')} and status in ('QUEUED', 'RUNNING') and epoch = coalesce(cast(${p('epoch')} as bigint), epoch)
    returning *`,
);

/** What a checkpoint adds to the figures of its run. */
export type Progress = {
  /** The total work, which marks the run as planned. */
  total?: number;
  done?: number;
  counts?: Counts;
  skipped?: number;
  phase?: string;
  /** Samples processed in the phase: a total together with `phase`, otherwise an increment. */
  phaseSamples?: number;
};

type ProgressValues = {
  id: string;
  epoch: number;
  leaseMs: number;
  total: number | null;
  done: number;
  phase: string | null;
  phaseSamples: number;
};

const addWork = prepared<ProgressValues, { failures: string }>(
  (db, p) => sql`update runs set
      lease_until = ${now(db)} + ${p('leaseMs')},
      work_done = work_done + ${p('done')},
      process_ends = case when ${p('done')} > 0 or cast(${p('total')} as bigint) is not null then 0 else process_ends end,
      planned = case when cast(${p('total')} as bigint) is null then planned else 1 end,
      work_total = coalesce(cast(${p('total')} as bigint), work_total),
      phase_samples = cast(${p('phaseSamples')} as bigint) + case when cast(${p('phase')} as text) is null then phase_samples else 0 end,
      phase = coalesce(cast(${p('phase')} as text), phase)
    where id = ${p('id')} and epoch = ${p('epoch')} and status = 'RUNNING'
    returning failures`,
);

/** Adds to a run's figures and renews its lease; undefined if this process no longer owns it: write nothing then. */
export async function addProgress(
  tx: Tx,
  { id, epoch, leaseMs }: { id: string; epoch: number; leaseMs: number },
  { total, done = 0, counts, skipped = 0, phase, phaseSamples = 0 }: Progress,
): Promise<{ failures: string } | undefined> {
  const [held] = await addWork(tx, {
    id,
    epoch,
    leaseMs,
    done,
    phaseSamples,
    total: total ?? null,
    phase: phase ?? null,
  });
  if (held !== undefined && (counts !== undefined || skipped > 0)) await addCounts(tx, id, counts, skipped);
  return held;
}

export async function addCounts(tx: Tx, id: string, counts: Counts | undefined, skipped = 0): Promise<void> {
  await tx
    .updateTable('runs')
    .set({
      count_skipped: sql<number>`count_skipped + ${skipped}`,
      ...(counts === undefined
        ? {}
        : {
            count_in: sql<number>`count_in + ${counts.in}`,
            count_kept: sql<number>`count_kept + ${counts.kept}`,
            count_changed: sql<number>`count_changed + ${counts.changed}`,
            count_dropped: sql<number>`count_dropped + ${counts.dropped}`,
            count_failed: sql<number>`count_failed + ${counts.failed}`,
            count_emitted: sql<number>`count_emitted + ${counts.emitted}`,
          }),
    })
    .where('id', '=', id)
    .execute();
}

export async function setFailures(tx: Tx, id: string, failures: string): Promise<void> {
  await tx.updateTable('runs').set({ failures }).where('id', '=', id).execute();
}

export async function insertRunDatasets(tx: Tx, rows: readonly RunDatasetsTable[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('run_datasets')
    .values([...rows])
    .execute();
}

export async function listRunDatasets(db: Db, runId: string): Promise<RunDatasetsTable[]> {
  return db.selectFrom('run_datasets').selectAll().where('run_id', '=', runId).orderBy('dataset_id').execute();
}

/** Records the datasets and versions that hold a run's result. */
export async function setTargets(
  tx: Tx,
  runId: string,
  targets: readonly { datasetId: string; version: number }[],
): Promise<void> {
  await tx.deleteFrom('run_datasets').where('run_id', '=', runId).where('role', '=', 'TARGET').execute();
  await insertRunDatasets(
    tx,
    targets.map(({ datasetId, version }) => ({ run_id: runId, dataset_id: datasetId, role: 'TARGET', version })),
  );
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

/** An unfinished run that writes into the dataset. */
export async function findRunInto(db: Db, datasetId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('run_datasets')
    .innerJoin('runs', 'runs.id', 'run_datasets.run_id')
    .select('runs.id')
    .where('run_datasets.dataset_id', '=', datasetId)
    .where('run_datasets.role', '=', 'TARGET')
    .where(sql<boolean>`runs.status in ('QUEUED', 'RUNNING')`)
    .executeTakeFirst();
  return row?.id;
}

/** Versions of a dataset that stored runs read or compare with. */
export async function listVersionsRead(db: Db, datasetId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('run_datasets')
    .select('version')
    .distinct()
    .where('dataset_id', '=', datasetId)
    .where('role', 'in', ['SOURCE', 'REFERENCE'])
    .orderBy('version')
    .execute();
  return rows.flatMap(({ version }) => version ?? []);
}

/** All runs that read or write the dataset. */
export async function listRunsOfDataset(db: Db, datasetId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('run_datasets')
    .select('run_id')
    .distinct()
    .where('dataset_id', '=', datasetId)
    .execute();
  return rows.map(({ run_id }) => run_id);
}

/** Locks all runs of these tasks, in the same order for all callers. */
export async function lockRunsOfTasks(tx: Tx, area: string, taskIds: readonly string[]): Promise<void> {
  // SQLite has one writer.
  if (dialectOf(tx) === 'sqlite' || taskIds.length === 0) return;
  await tx
    .selectFrom('runs')
    .select('id')
    .where('area', '=', area)
    .where('task_id', 'in', taskIds)
    .orderBy('id')
    .forUpdate()
    .execute();
}

export async function deleteRun(tx: Tx, runId: string): Promise<void> {
  await tx.deleteFrom('run_logs').where('run_id', '=', runId).execute();
  await tx.deleteFrom('run_datasets').where('run_id', '=', runId).execute();
  await tx.deleteFrom('runs').where('id', '=', runId).execute();
}

export async function listRunsOfTask(db: Db, area: string, taskId: string): Promise<Pick<RunsTable, 'id' | 'kind'>[]> {
  return db.selectFrom('runs').select(['id', 'kind']).where('task_id', '=', taskId).where('area', '=', area).execute();
}
