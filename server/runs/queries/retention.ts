import { sql } from 'kysely';
import type { Db } from '../../storage/database/database.ts';
import type { RunsTable } from '../../storage/database/tables/runs.ts';

export type ExpiredRun = Pick<RunsTable, 'id' | 'area' | 'kind' | 'task_id' | 'number' | 'finished_at'>;

/** Runs ended before a time and not among the latest of their task, oldest first; only those this process can erase. */
export async function listExpiredRuns(
  db: Db,
  { before, keep, place }: { before: string; keep: number; place: string },
  limit: number,
): Promise<ExpiredRun[]> {
  const { rows } = await sql<ExpiredRun>`
    select id, area, kind, task_id, number, finished_at from runs
    where finished_at < ${before} and status not in ('QUEUED', 'RUNNING') and (bound_to is null or bound_to = ${place})
      and (select count(*) from runs as newer
        where newer.task_id = runs.task_id and newer.area = runs.area and newer.number > runs.number) >= ${keep}
    order by finished_at, id limit ${limit}`.execute(db);
  return rows;
}
