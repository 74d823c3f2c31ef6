import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { insertRows } from '../../../storage/database/insert-rows.ts';
import type { SynthesisSamplesTable, SynthesisWorksTable } from '../../../storage/database/tables/data-synthesis.ts';

export async function insertWork(tx: Tx, row: SynthesisWorksTable): Promise<void> {
  await tx.insertInto('synthesis_works').values(row).execute();
}

export async function findWork(db: Db, workId: string): Promise<SynthesisWorksTable | undefined> {
  return db.selectFrom('synthesis_works').selectAll().where('work_id', '=', workId).executeTakeFirst();
}

export async function updateWork(tx: Tx, workId: string, values: Partial<SynthesisWorksTable>): Promise<void> {
  await tx.updateTable('synthesis_works').set(values).where('work_id', '=', workId).execute();
}

export async function addSpentTime(tx: Tx, workId: string, ms: number): Promise<void> {
  await sql`update synthesis_works set spent_ms = spent_ms + ${ms} where work_id = ${workId}`.execute(tx);
}

/** The latest run of a task that has records. */
export async function findRunWithRecords(db: Db, taskId: string): Promise<string | undefined> {
  const { rows } = await sql<{ run_id: string }>`select w.run_id from synthesis_works as w
    where w.task_id = ${taskId} and exists (select 1 from synthesis_records as r where r.work_id = w.work_id)
    order by w.run_id desc limit 1`.execute(db);
  return rows[0]?.run_id;
}

/** Transfers the work of a run to the run that resumes it. */
export async function moveWork(tx: Tx, fromRunId: string, toRunId: string): Promise<void> {
  await tx.updateTable('synthesis_works').set({ run_id: toRunId }).where('run_id', '=', fromRunId).execute();
}

/** Deletes the work whose latest run this is, with its samples and records. */
export async function deleteWorkOf(tx: Tx, runId: string): Promise<void> {
  const works = await tx.selectFrom('synthesis_works').select('work_id').where('run_id', '=', runId).execute();
  for (const { work_id: workId } of works) {
    await tx.deleteFrom('synthesis_records').where('work_id', '=', workId).execute();
    await deleteSamples(tx, workId);
    await tx.deleteFrom('synthesis_works').where('work_id', '=', workId).execute();
  }
}

export type FinishedWork = Pick<SynthesisWorksTable, 'work_id' | 'spent_ms' | 'template_type'>;

/** Works with a model whose records were written, newest first. */
export async function listFinishedWorks(db: Db, modelId: string, limit: number): Promise<FinishedWork[]> {
  return db
    .selectFrom('synthesis_works')
    .select(['work_id', 'spent_ms', 'template_type'])
    .where('model_id', '=', modelId)
    .where('exported_version', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
}

export const insertSamples: (tx: Tx, rows: readonly SynthesisSamplesTable[]) => Promise<void> = insertRows(
  'synthesis_samples',
  {
    work_id: 'text',
    sample_no: 'integer',
    file_id: 'text',
    file_path: 'text',
    row_no: 'integer',
    start_at: 'integer',
    end_at: 'integer',
    text: 'text',
    fields: 'text',
    problem: 'text',
    problem_sentence: 'text',
    sample_key: 'text',
  },
);

export async function deleteSamples(tx: Tx, workId: string): Promise<void> {
  await tx.deleteFrom('synthesis_samples').where('work_id', '=', workId).execute();
}

/** Samples in order, starting at a number. */
export async function listSamples(
  db: Db,
  workId: string,
  { from, limit }: { from: number; limit: number },
): Promise<SynthesisSamplesTable[]> {
  return db
    .selectFrom('synthesis_samples')
    .selectAll()
    .where('work_id', '=', workId)
    .where('sample_no', '>=', from)
    .orderBy('sample_no')
    .limit(limit)
    .execute();
}

export async function findSample(db: Db, workId: string, sampleNo: number): Promise<SynthesisSamplesTable | undefined> {
  return db
    .selectFrom('synthesis_samples')
    .selectAll()
    .where('work_id', '=', workId)
    .where('sample_no', '=', sampleNo)
    .executeTakeFirst();
}
