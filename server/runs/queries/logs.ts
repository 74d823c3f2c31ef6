import { sql } from 'kysely';
import type { Db, Tx } from '../../storage/database/database.ts';
import type { RunLogsTable } from '../../storage/database/tables/runs.ts';
import { lockRun } from './runs.ts';

/** Appends a line to a run's log. */
export async function insertLog(tx: Tx, line: Omit<RunLogsTable, 'seq'>): Promise<void> {
  // Two lines at once wait for each other here, or both would take the same number.
  await lockRun(tx, line.run_id);
  await sql`insert into run_logs (run_id, seq, time, level, message)
    select ${line.run_id}, coalesce(max(seq), 0) + 1, ${line.time}, ${line.level}, ${line.message} from run_logs where run_id = ${line.run_id}`.execute(
    tx,
  );
}

/** Lines behind `after`, in order; numbers are consecutive from 1. */
export async function listLogsAfter(db: Db, runId: string, after: number, limit: number): Promise<RunLogsTable[]> {
  return db
    .selectFrom('run_logs')
    .selectAll()
    .where('run_id', '=', runId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
}

/** The number of the last line, 0 when there is none. */
export async function lastLogSeq(db: Db, runId: string): Promise<number> {
  const { seq } = await db
    .selectFrom('run_logs')
    .select((query) => query.fn.coalesce(query.fn.max('seq'), sql<number>`0`).as('seq'))
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  return seq;
}

export async function listLogs(
  db: Db,
  runId: string,
  { page, size }: { page: number; size: number },
): Promise<{ rows: RunLogsTable[]; total: number }> {
  const rows = await db
    .selectFrom('run_logs')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('seq')
    .limit(size)
    .offset(page * size)
    .execute();
  const { total } = await db
    .selectFrom('run_logs')
    .select((query) => query.fn.countAll<number>().as('total'))
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  return { rows, total };
}
