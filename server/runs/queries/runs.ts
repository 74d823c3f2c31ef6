import { sql, type RawBuilder } from 'kysely';
import { offsetOf, type PageRequest, type SortDirection } from '../../kernel/page.ts';
import type { Db, Tx } from '../../storage/database/database.ts';
import { insertRows } from '../../storage/database/insert-rows.ts';
import { dialectOf, keysTable } from '../../storage/database/sql.ts';
import type { RunsTable } from '../../storage/database/tables/runs.ts';

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
  waiting_for: 'text',
  waiting_for_sentence: 'text',
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
  failure_sentences: 'text',
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

/** Runs that show one of these statuses: one that waits for workers shows QUEUED. */
function shownAs(statuses: readonly RunsTable['status'][]): RawBuilder<boolean> {
  const some = sql<boolean>`status in (${sql.join(statuses)})`;
  const [queued, running] = [statuses.includes('QUEUED'), statuses.includes('RUNNING')];
  if (queued === running) return some;
  return queued
    ? sql<boolean>`(${some} or (status = 'RUNNING' and waiting_for is not null))`
    : sql<boolean>`(${some} and (status <> 'RUNNING' or waiting_for is null))`;
}

export async function listRuns(
  db: Db,
  filter: RunFilter,
  { page, size }: PageRequest,
  direction: SortDirection,
): Promise<{ rows: RunsTable[]; total: number }> {
  const conditions = [
    ...(filter.area === undefined ? [] : [sql`area = ${filter.area}`]),
    ...(filter.taskId === undefined ? [] : [sql`task_id = ${filter.taskId}`]),
    ...(filter.statuses === undefined ? [] : [shownAs(filter.statuses)]),
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
