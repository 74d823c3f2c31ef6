import { sql, type RawBuilder } from 'kysely';
import { offsetOf, type PageRequest } from '../../../kernel/page.ts';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { insertRows } from '../../../storage/database/insert-rows.ts';
import { contains, dialectOf } from '../../../storage/database/sql.ts';
import type {
  SynthesisEditsTable,
  SynthesisRecordsTable,
  SynthesisSamplesTable,
} from '../../../storage/database/tables/data-synthesis.ts';

export const insertRecords: (tx: Tx, rows: readonly SynthesisRecordsTable[]) => Promise<void> = insertRows(
  'synthesis_records',
  {
    work_id: 'text',
    record_no: 'integer',
    sample_no: 'integer',
    turn_no: 'integer',
    record_id: 'text',
    sequence: 'integer',
    verdict: 'text',
    reason: 'text',
    reason_sentence: 'text',
    reason_code: 'text',
    column_name: 'text',
    made_columns: 'text',
    output: 'text',
    score: 'real',
    judgement: 'text',
    mended: 'text',
    calls: 'integer',
    input_tokens: 'integer',
    output_tokens: 'integer',
    cost_nano: 'integer',
    known: 'integer',
    created_at: 'text',
  },
);

export async function updateRecord(
  tx: Tx,
  {
    work_id: workId,
    record_no: recordNo,
    ...values
  }: Partial<SynthesisRecordsTable> & Pick<SynthesisRecordsTable, 'work_id' | 'record_no'>,
): Promise<void> {
  await tx
    .updateTable('synthesis_records')
    .set(values)
    .where('work_id', '=', workId)
    .where('record_no', '=', recordNo)
    .execute();
}

/** Numbers of existing records, ascending, after `after`. */
export async function listRecordNumbers(db: Db, workId: string, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('synthesis_records')
    .select('record_no')
    .where('work_id', '=', workId)
    .where('record_no', '>', after)
    .orderBy('record_no')
    .limit(limit)
    .execute();
  return rows.map(({ record_no: number }) => number);
}

/** The columns of why a record failed, and where. */
export type RecordFailure = Pick<SynthesisRecordsTable, 'reason' | 'reason_sentence' | 'column_name'>;

export type FailedRecords = RecordFailure & { count: number };

/** Deletes the failed records; returns how many there were by reason and column. */
export async function deleteFailedRecords(tx: Tx, workId: string): Promise<FailedRecords[]> {
  const failed = await tx
    .selectFrom('synthesis_records')
    .select(['reason', 'reason_sentence', 'column_name', ({ fn }) => fn.countAll<number>().as('count')])
    .where('work_id', '=', workId)
    .where('verdict', '=', 'FAILED')
    .groupBy(['reason', 'reason_sentence', 'column_name'])
    .execute();
  await tx.deleteFrom('synthesis_records').where('work_id', '=', workId).where('verdict', '=', 'FAILED').execute();
  return failed;
}

/** Reason and column of the first failed record of a work. */
export async function findFailure(db: Db, workId: string): Promise<RecordFailure | undefined> {
  return db
    .selectFrom('synthesis_records')
    .select(['reason', 'reason_sentence', 'column_name'])
    .where('work_id', '=', workId)
    .where('verdict', '=', 'FAILED')
    .orderBy('record_no')
    .limit(1)
    .executeTakeFirst();
}

/** Records that new ones are compared with, after a number: kept ones, and those dropped only by the judge. */
export async function listComparedRecords(
  db: Db,
  workId: string,
  { after, limit, judged }: { after: number; limit: number; judged: string },
): Promise<{ record_no: number; output: string }[]> {
  const { rows } = await sql<{ record_no: number; output: string }>`
    select record_no, output from synthesis_records
    where work_id = ${workId} and record_no > ${after} and output is not null
      and (verdict = 'KEPT' or (reason_code = ${judged} and column_name is null))
    order by record_no limit ${limit}`.execute(db);
  return rows;
}

export type RecordSums = {
  records: number;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cost_nano: number;
  samples: number;
  known: number;
};

/** Total usage of a work's records, and how many samples yielded a kept one. */
export async function sumRecords(db: Db, workId: string): Promise<RecordSums> {
  const { rows } = await sql<RecordSums>`
    select count(*) as records, cast(coalesce(sum(calls), 0) as bigint) as calls, cast(coalesce(sum(input_tokens), 0) as bigint) as input_tokens,
      cast(coalesce(sum(output_tokens), 0) as bigint) as output_tokens, cast(coalesce(sum(cost_nano), 0) as bigint) as cost_nano,
      count(distinct case when verdict = 'KEPT' then sample_no end) as samples, cast(coalesce(sum(known), 0) as bigint) as known
    from synthesis_records where work_id = ${workId}`.execute(db);
  const [sums] = rows;
  if (sums === undefined) throw new Error('A sum gave no row');
  return sums;
}

/** A record with its sample, and its edit and review. */
export type FoundRecord = SynthesisRecordsTable &
  Pick<
    SynthesisSamplesTable,
    | 'file_id'
    | 'file_path'
    | 'row_no'
    | 'start_at'
    | 'end_at'
    | 'text'
    | 'fields'
    | 'problem'
    | 'problem_sentence'
    | 'sample_key'
  > & {
    edited_output: string | null;
    review: SynthesisEditsTable['review'];
    review_reason: string | null;
    edited_by: string | null;
  };

const found = sql`select r.*, s.file_id, s.file_path, s.row_no, s.start_at, s.end_at, s.text, s.fields, s.problem, s.problem_sentence, s.sample_key,
    e.output as edited_output, e.review, e.review_reason, e.updated_by as edited_by`;

function sources(taskId: string): RawBuilder<unknown> {
  return sql`from synthesis_records as r
    join synthesis_samples as s on s.work_id = r.work_id and s.sample_no = r.sample_no
    left join synthesis_edits as e on e.task_id = ${taskId} and e.record_id = r.record_id`;
}

export type RecordFilter = {
  taskId: string;
  workId: string;
  verdict?: string | undefined;
  reasonCode?: string | undefined;
  column?: string | undefined;
  review?: 'ACCEPTED' | 'REJECTED' | 'NONE' | undefined;
  edited?: boolean | undefined;
  search?: string | undefined;
};

function conditionsOf(db: Db, filter: RecordFilter): RawBuilder<unknown> {
  const { workId, verdict, reasonCode, column, review, edited, search } = filter;
  const all = [sql`r.work_id = ${workId}`];
  if (verdict !== undefined) all.push(sql`r.verdict = ${verdict}`);
  if (reasonCode !== undefined) all.push(sql`r.reason_code = ${reasonCode}`);
  if (column !== undefined) all.push(sql`r.column_name = ${column}`);
  if (review === 'NONE') all.push(sql`e.review is null`);
  else if (review !== undefined) all.push(sql`e.review = ${review}`);
  if (edited !== undefined) all.push(edited ? sql`e.output is not null` : sql`e.output is null`);
  if (search !== undefined)
    all.push(contains(db, sql`lower(coalesce(e.output, r.output, '') || ' ' || s.file_path)`, search));
  return sql.join(all, sql` and `);
}

export async function listRecords(
  db: Db,
  filter: RecordFilter,
  { page, size }: PageRequest,
): Promise<{ rows: FoundRecord[]; total: number }> {
  const where = conditionsOf(db, filter);
  const from = sources(filter.taskId);
  const counted = await sql<{ total: number }>`select count(*) as total ${from} where ${where}`.execute(db);
  const { rows } = await sql<FoundRecord>`${found} ${from} where ${where} order by r.record_no
    limit ${size} offset ${offsetOf({ page, size })}`.execute(db);
  return { rows, total: counted.rows[0]?.total ?? 0 };
}

export type RecordFacet = {
  verdict: string;
  reason_code: string | null;
  column_name: string | null;
  review: string | null;
  count: number;
};

/** Counts of the records by verdict, reason code, column and review. */
export async function countRecords(db: Db, taskId: string, workId: string): Promise<RecordFacet[]> {
  const { rows } = await sql<RecordFacet>`select r.verdict, r.reason_code, r.column_name, e.review, count(*) as count
    ${sources(taskId)} where r.work_id = ${workId}
    group by r.verdict, r.reason_code, r.column_name, e.review
    order by r.verdict, r.reason_code, r.column_name, e.review`.execute(db);
  return rows;
}

export async function findRecord(
  db: Db,
  { taskId, workId, recordId }: { taskId: string; workId: string; recordId: string },
): Promise<FoundRecord | undefined> {
  const { rows } = await sql<FoundRecord>`${found} ${sources(taskId)}
    where r.work_id = ${workId} and r.record_id = ${recordId}`.execute(db);
  return rows[0];
}

/** Records of the result, after a number: kept ones not rejected, and others that were accepted. */
export async function listResult(
  db: Db,
  { taskId, workId, after, limit }: { taskId: string; workId: string; after: number; limit: number },
): Promise<FoundRecord[]> {
  const { rows } = await sql<FoundRecord>`${found} ${sources(taskId)}
    where r.work_id = ${workId} and r.record_no > ${after} and coalesce(e.output, r.output) is not null
      and coalesce(e.review, case when r.verdict = 'KEPT' then 'ACCEPTED' else 'REJECTED' end) = 'ACCEPTED'
    order by r.record_no limit ${limit}`.execute(db);
  return rows;
}

/** The highest sequence number of the calls for a sample; -1 without any. */
export async function findLastSequence(tx: Tx, workId: string, sampleNo: number): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`select max(sequence) as last from synthesis_records
    where work_id = ${workId} and sample_no = ${sampleNo}`.execute(tx);
  return rows[0]?.last ?? -1;
}

/** Locks the records of a sample until this transaction ends. */
export async function lockRecords(tx: Tx, workId: string, sampleNo: number): Promise<void> {
  if (dialectOf(tx) === 'sqlite') return;
  await sql`select record_no from synthesis_records where work_id = ${workId} and sample_no = ${sampleNo}
    order by record_no for update`.execute(tx);
}

export async function findEdit(db: Db, taskId: string, recordId: string): Promise<SynthesisEditsTable | undefined> {
  return db
    .selectFrom('synthesis_edits')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('record_id', '=', recordId)
    .executeTakeFirst();
}

/** Sequence numbers of calls that replaced the originals after a regeneration, by record id. */
export async function listRegenerated(db: Db, taskId: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('synthesis_edits')
    .select(['record_id', 'sequence'])
    .where('task_id', '=', taskId)
    .where('sequence', 'is not', null)
    .execute();
  return new Map(rows.map(({ record_id: id, sequence }) => [id, sequence ?? 0]));
}

export async function saveEdit(tx: Tx, row: SynthesisEditsTable): Promise<void> {
  const { task_id: _taskId, record_id: _recordId, ...values } = row;
  await tx
    .insertInto('synthesis_edits')
    .values(row)
    .onConflict((conflict) => conflict.columns(['task_id', 'record_id']).doUpdateSet(values))
    .execute();
}

export async function deleteEdits(tx: Tx, taskId: string): Promise<void> {
  await tx.deleteFrom('synthesis_edits').where('task_id', '=', taskId).execute();
}
