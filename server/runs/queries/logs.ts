import { sql } from 'kysely';
import { offsetOf } from '../../kernel/page.ts';
import { storedSentence, type Reason } from '../../kernel/sentences/index.ts';
import type { Db, Tx } from '../../storage/database/database.ts';
import { prepared } from '../../storage/database/prepared.ts';
import { dialectOf } from '../../storage/database/sql.ts';
import type { RunLogsTable } from '../../storage/database/tables/runs.ts';
import { lockRun } from './runs.ts';

type NewLine = Pick<RunLogsTable, 'run_id' | 'time' | 'level'> & { message: Reason };

const appendLine = prepared<Omit<RunLogsTable, 'seq'>, never>(
  (_, p) => sql`insert into run_logs (run_id, seq, time, level, message, message_sentence)
    select ${p('run_id')}, coalesce(max(seq), 0) + 1, ${p('time')}, ${p('level')}, ${p('message')},
      ${p('message_sentence')}
    from run_logs where run_id = ${p('run_id')}`,
);

/** Appends a line to a run's log. */
export async function insertLog(tx: Tx, line: NewLine): Promise<void> {
  // The lock makes concurrent writers take different line numbers; SQLite has a single writer anyway.
  if (dialectOf(tx) === 'postgres') await lockRun(tx, line.run_id);
  const message = { message: line.message.text, message_sentence: storedSentence(line.message) };
  await appendLine(tx, { ...line, ...message });
}

/** Lines after number `after`, in order; lines are numbered consecutively from 1. */
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

/** The number of the last line; 0 without any. */
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
    .offset(offsetOf({ page, size }))
    .execute();
  const { total } = await db
    .selectFrom('run_logs')
    .select((query) => query.fn.countAll<number>().as('total'))
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  return { rows, total };
}
