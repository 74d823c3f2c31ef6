import { sql } from 'kysely';
import type { Db, Tx } from '../../storage/database/database.ts';
import { prepared } from '../../storage/database/prepared.ts';
import { executeForEach } from '../../storage/database/insert-rows.ts';
import { dialectOf, keysTable, rowsTable } from '../../storage/database/sql.ts';
import type { ModelCallsTable } from '../../storage/database/tables/models.ts';

export type CallRow = Pick<
  ModelCallsTable,
  | 'key'
  | 'status'
  | 'owner'
  | 'run_id'
  | 'response'
  | 'cause'
  | 'input_tokens'
  | 'output_tokens'
  | 'cost_nano'
  | 'finished_at'
  | 'used_on'
>;

const findByKey = prepared<{ key: string }, CallRow>((db, p) =>
  db
    .selectFrom('model_calls')
    .select(['key', 'status', 'owner', 'run_id', 'response', 'cause', 'input_tokens', 'output_tokens', 'cost_nano'])
    .select(['finished_at', 'used_on'])
    .where('key', '=', p('key')),
);

export async function findCall(db: Db, key: string): Promise<CallRow | undefined> {
  return (await findByKey(db, { key }))[0];
}

export type BegunCall = {
  key: string;
  model_id: string;
  run_id: string | null;
  sample_id: string | null;
  sequence: number;
  request: string;
  reserved: string | null;
};

const begunColumns = {
  key: 'text',
  model_id: 'text',
  run_id: 'text',
  sample_id: 'text',
  sequence: 'integer',
  request: 'text',
  reserved: 'text',
} as const;

const insertedColumns = `key, model_id, run_id, sample_id, sequence, request, reserved, owner, created_at, used_on, status, attempts,
  input_tokens, output_tokens, cost_nano, duration_ms`;
const beginAgain = `on conflict (key) do update set status = 'PENDING', owner = excluded.owner, run_id = excluded.run_id,
    sample_id = excluded.sample_id, attempts = model_calls.attempts + 1, reserved = excluded.reserved,
    cause = null, finished_at = null, used_on = excluded.used_on
  where model_calls.status in ('FAILED', 'ABANDONED')
    or (model_calls.status = 'PENDING' and model_calls.owner = excluded.owner)
  returning key`;
const beginOne = `insert into model_calls (${insertedColumns})
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'PENDING', 1, 0, 0, 0, 0) ${beginAgain}`;

/**
 * Records calls that are about to be made; returns the keys of those that this process may make. A call that is done,
 * or that another process is making, is left unchanged.
 */
export async function beginCalls(
  tx: Tx,
  { owner, now }: { owner: string; now: string },
  calls: readonly BegunCall[],
): Promise<Set<string>> {
  if (dialectOf(tx) === 'sqlite') {
    const rows = calls.map(({ key, model_id, run_id, sample_id, sequence, request, reserved }) => [
      key,
      model_id,
      run_id,
      sample_id,
      sequence,
      request,
      reserved,
      owner,
      now,
      now.slice(0, 10),
    ]);
    return keysOf(await executeForEach(tx, beginOne, rows));
  }
  const { rows } = await sql<{ key: string }>`
    insert into model_calls (${sql.raw(insertedColumns)})
    select key, model_id, run_id, sample_id, sequence, request, reserved, ${owner}, ${now}, ${now.slice(0, 10)}, 'PENDING', 1, 0, 0, 0, 0
    from ${rowsTable(tx, begunColumns, calls)} where true ${sql.raw(beginAgain)}`.execute(tx);
  return keysOf(rows);
}

export type EndedCall = {
  key: string;
  /** PENDING between two attempts. */
  status: ModelCallsTable['status'];
  response: string | null;
  cause: string | null;
  input_tokens: number;
  output_tokens: number;
  cost_nano: number;
  duration_ms: number;
};

const endedColumns = {
  key: 'text',
  status: 'text',
  response: 'text',
  cause: 'text',
  input_tokens: 'integer',
  output_tokens: 'integer',
  cost_nano: 'integer',
  duration_ms: 'integer',
} as const;

const endOne = `update model_calls set status = ?, response = ?, cause = ?, input_tokens = ?, output_tokens = ?, cost_nano = ?,
    duration_ms = duration_ms + ?, reserved = null, finished_at = ?
  where key = ? and status = 'PENDING' and owner = ? returning key`;

/** Records the results of calls; returns the keys of those that this process still owned. */
export async function endCalls(
  tx: Tx,
  { owner, now }: { owner: string; now: string },
  calls: readonly EndedCall[],
): Promise<Set<string>> {
  if (dialectOf(tx) === 'sqlite') {
    const rows = calls.map((call) => [
      call.status,
      call.response,
      call.cause,
      call.input_tokens,
      call.output_tokens,
      call.cost_nano,
      call.duration_ms,
      now,
      call.key,
      owner,
    ]);
    return keysOf(await executeForEach(tx, endOne, rows));
  }
  const { rows } = await sql<{ key: string }>`
    update model_calls set status = ended.status, response = ended.response, cause = ended.cause,
      input_tokens = ended.input_tokens, output_tokens = ended.output_tokens, cost_nano = ended.cost_nano,
      duration_ms = model_calls.duration_ms + ended.duration_ms, reserved = null, finished_at = ${now}
    from ${rowsTable(tx, endedColumns, calls, 'ended')}
    where model_calls.key = ended.key and model_calls.status = 'PENDING' and model_calls.owner = ${owner}
    returning model_calls.key as key`.execute(tx);
  return keysOf(rows);
}

function keysOf(rows: readonly { key: string }[]): Set<string> {
  return new Set(rows.map(({ key }) => key));
}

/** Withdraws an unusable reply, unless another one has replaced it meanwhile: its call may be made again. */
export async function takeBackReply(
  tx: Tx,
  { key, finishedAt, cause }: { key: string; finishedAt: string | null; cause: string },
): Promise<void> {
  await tx
    .updateTable('model_calls')
    .set({ status: 'FAILED', response: null, cause })
    .where('key', '=', key)
    .where('status', '=', sql.lit<'DONE'>('DONE'))
    .where('finished_at', '=', finishedAt)
    .execute();
}

/** Deletes calls that are recorded only while they run. */
export async function deleteCalls(tx: Tx, keys: readonly string[]): Promise<void> {
  await tx.deleteFrom('model_calls').where('key', 'in', keys).execute();
}

/** Records the day on which replies were used. */
export async function markCallsUsed(tx: Tx, keys: readonly string[], day: string): Promise<void> {
  await sql`update model_calls set used_on = ${day}
    where key in ${keysTable(tx, keys.toSorted())} and used_on < ${day}`.execute(tx);
}

/** Deletes calls last used before a day that are not running; returns their number. */
export async function deleteUnusedCalls(tx: Tx, { before, limit }: { before: string; limit: number }): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from model_calls where key in (
    select key from model_calls where used_on < ${before} and status <> 'PENDING' order by used_on limit ${limit})`.execute(
    tx,
  );
  return Number(numAffectedRows);
}

export type OrphanedCall = Pick<ModelCallsTable, 'key' | 'reserved' | 'model_id' | 'run_id' | 'used_on'>;

/** Calls of dead processes. */
export async function listOrphanedCalls(
  db: Db,
  { alive, limit }: { alive: readonly string[]; limit: number },
): Promise<OrphanedCall[]> {
  const pending = db
    .selectFrom('model_calls')
    .select(['key', 'reserved', 'model_id', 'run_id', 'used_on'])
    .where('status', '=', sql.lit<'PENDING'>('PENDING'))
    .orderBy('key')
    .limit(limit);
  return (alive.length === 0 ? pending : pending.where('owner', 'not in', alive)).execute();
}

/** Ends calls of dead processes; returns those that no other process ended or took over meanwhile. */
export async function abandonCalls(
  tx: Tx,
  keys: readonly string[],
  { alive, now, cause }: { alive: readonly string[]; now: string; cause: string },
): Promise<Set<string>> {
  const pending = tx
    .updateTable('model_calls')
    .set({ status: 'ABANDONED', reserved: null, cause, finished_at: now })
    .where('key', 'in', keys)
    .where('status', '=', sql.lit<'PENDING'>('PENDING'));
  const orphaned = alive.length === 0 ? pending : pending.where('owner', 'not in', alive);
  return new Set((await orphaned.returning('key').execute()).map(({ key }) => key));
}

/** Number of calls that are recorded but not ended. */
export async function countPendingCalls(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('model_calls')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('status', '=', sql.lit<'PENDING'>('PENDING'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Number of stored calls per run; runs without any are left out. */
export async function countCallsOfRuns(db: Db, runIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('model_calls')
    .select((query) => ['run_id', query.fn.countAll<number>().as('count')])
    .where(sql<boolean>`run_id in ${keysTable(db, runIds)}`)
    .groupBy('run_id')
    .execute();
  return new Map(rows.map(({ run_id: runId, count }) => [String(runId), count]));
}
