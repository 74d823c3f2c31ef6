import { sql, type RawBuilder } from 'kysely';
import type { Reason } from '../../kernel/sentences/index.ts';
import type { Db, Tx } from '../../storage/database/database.ts';
import { dialectOf, keysTable, rowsTable } from '../../storage/database/sql.ts';
import type { RunsTable } from '../../storage/database/tables/runs.ts';

/** Milliseconds since 1970 by the clock of the database, which all processes share. */
export function now(db: Db): RawBuilder<number> {
  return dialectOf(db) === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}

export type Claim = {
  /** Kinds of runs that this process can drive. */
  kinds: readonly string[];
  /** Runs left to other processes. */
  except?: readonly string[];
  place: string;
  leaseMs: number;
  /** Start time to record for runs that have not been driven before. */
  startedAt: string;
  /** Whether to claim runs whose process ended while driving them, or only the others. */
  areSuspects: boolean;
  limit: number;
};

/** `lost_place`: another process that held the run until its lease expired without releasing it. */
export type ClaimedRun = RunsTable & { lost_place?: string | null };

/**
 * Claims free unfinished runs, by turn and then oldest first; previous owners can no longer write. Skips runs that
 * another process is claiming at the same time.
 *
 * Measured with four claimers over 400 runs (`npm run bench -- leases`): 9 ms and one transaction per run. Selecting
 * first and updating by id takes 26 ms and three transactions, as the claimers compete for the same run.
 */
export async function claimRuns(
  tx: Tx,
  { kinds, except = [], place, leaseMs, startedAt, areSuspects, limit }: Claim,
): Promise<ClaimedRun[]> {
  const skipLocked = dialectOf(tx) === 'postgres' ? sql`for update skip locked` : sql``;
  const suspects = areSuspects ? sql`process_ends > 0` : sql`process_ends = 0`;
  // A process other than this one that held a lease until it expired has died.
  const hasDied = sql`free.lost_place is not null and free.lost_place <> ${place}`;
  const others = except.length === 0 ? sql`` : sql`and id not in ${keysTable(tx, except)}`;
  const { rows } = await sql<ClaimedRun>`
    with free as materialized (
      select id, lease_place as lost_place from runs
      where status in ('QUEUED', 'RUNNING') and (lease_until is null or lease_until < ${now(tx)})
        and (bound_to is null or bound_to = ${place}) and kind in ${keysTable(tx, kinds)} ${others} and ${suspects}
      order by turn, created_at, id limit ${limit} ${skipLocked})
    update runs set status = 'RUNNING', waiting_for = null, waiting_for_sentence = null, epoch = epoch + 1, lease_place = ${place}, lease_until = ${now(tx)} + ${leaseMs},
      started_at = coalesce(started_at, ${startedAt}), process_ends = process_ends + case when ${hasDied} then 1 else 0 end
    from free where runs.id = free.id
    returning *`.execute(tx);
  return rows.toSorted((a, b) => a.turn - b.turn || (a.created_at < b.created_at ? -1 : 1));
}

/**
 * Renews the leases of runs; returns the ids of those renewed. Skips a run whose row is locked by a checkpoint: nobody
 * else can claim it meanwhile, and a long commit must not cost the other runs their leases.
 */
export async function renewLeases(
  db: Db,
  held: readonly { id: string; epoch: number }[],
  leaseMs: number,
): Promise<string[]> {
  const skipLocked = dialectOf(db) === 'postgres' ? sql`for update of runs skip locked` : sql``;
  const { rows } = await sql<{ id: string }>`
    with own as materialized (
      select runs.id from runs join ${rowsTable(db, { id: 'text', epoch: 'integer' }, held, 'held')}
        on runs.id = held.id and runs.epoch = held.epoch
      where runs.status = 'RUNNING' and runs.lease_place is not null ${skipLocked})
    update runs set lease_until = ${now(db)} + ${leaseMs} from own where runs.id = own.id
    returning runs.id`.execute(db);
  return rows.map(({ id }) => id);
}

/** The ids among `held` that this process no longer owns. */
export async function findLost(db: Db, held: readonly { id: string; epoch: number }[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select held.id from ${rowsTable(db, { id: 'text', epoch: 'integer' }, held, 'held')}
    left join runs on runs.id = held.id and runs.epoch = held.epoch and runs.status = 'RUNNING'
    where runs.id is null`.execute(db);
  return rows.map(({ id }) => id);
}

/** Number of runs held by the process of each data folder. */
export async function countDriven(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ place: string; runs: number }>`
    select lease_place as place, cast(count(*) as integer) as runs from runs
    where status in ('QUEUED', 'RUNNING') and status = 'RUNNING' and lease_until > ${now(db)}
    group by lease_place`.execute(db);
  return new Map(rows.map(({ place, runs }) => [place, runs]));
}

/** Releases a run for any process, unless another process holds it under the same epoch. */
export async function releaseLease(
  db: Db,
  { id, epoch, place }: { id: string; epoch: number; place: string },
): Promise<void> {
  await db
    .updateTable('runs')
    .set({ lease_place: null, lease_until: null, waiting_for: null, waiting_for_sentence: null })
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('lease_place', '=', place)
    .execute();
}

/** Adopts a run under the epoch with which another process claimed it for this one; undefined if unavailable. */
export async function adoptRun(
  tx: Tx,
  { id, epoch, place, leaseMs }: { id: string; epoch: number; place: string; leaseMs: number },
): Promise<RunsTable | undefined> {
  return tx
    .updateTable('runs')
    .set({ lease_place: place, lease_until: sql`${now(tx)} + ${leaseMs}` })
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('status', '=', 'RUNNING')
    .returningAll()
    .executeTakeFirst();
}

/** Retakes a run that this process released; returns false if another process has taken it or it has ended. */
export async function retakeRun(
  tx: Tx,
  { id, epoch, place, leaseMs }: { id: string; epoch: number; place: string; leaseMs: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('runs')
    .set({ lease_place: place, lease_until: sql`${now(tx)} + ${leaseMs}` })
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('status', '=', 'RUNNING')
    .where('lease_place', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The holder of a run that is being driven. */
export async function findHolder(db: Db, id: string): Promise<Pick<RunsTable, 'epoch' | 'lease_place'> | undefined> {
  return db
    .selectFrom('runs')
    .select(['epoch', 'lease_place'])
    .where('id', '=', id)
    .where('status', '=', 'RUNNING')
    .executeTakeFirst();
}

/** Number of runs of these kinds that are currently driven. */
export async function countHeld(db: Db, kinds: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select cast(count(*) as integer) as count from runs
    where status = 'RUNNING' and lease_until >= ${now(db)} and kind in ${keysTable(db, kinds)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Ends the leases of dead processes, and counts a process end for their runs: those of this data folder, or all if only
 * one process can be running.
 */
export async function releasePlace(db: Db, place: string | undefined): Promise<void> {
  let query = db
    .updateTable('runs')
    .set({ lease_place: null, lease_until: null, process_ends: sql`process_ends + 1` })
    .where(sql<boolean>`status in ('QUEUED', 'RUNNING')`)
    .where('lease_until', 'is not', null);
  if (place !== undefined) query = query.where('lease_place', '=', place);
  await query.execute();
}

export type StrandedRun = Pick<RunsTable, 'id' | 'area' | 'task_id' | 'number'>;

/** Unfinished runs bound to other data folders, without a lease for `graceMs`, whose logs lack the message, whatever its words. */
export async function listStranded(
  db: Db,
  {
    place,
    graceMs,
    createdBefore,
    message,
  }: { place: string; graceMs: number; createdBefore: string; message: Reason },
  limit: number,
): Promise<StrandedRun[]> {
  // Lines of releases up to 0.2 have no code and are found by their text, until the next release but one.
  const { rows } = await sql<StrandedRun>`
    select id, area, task_id, number from runs
    where status in ('QUEUED', 'RUNNING') and bound_to <> ${place} and created_at < ${createdBefore}
      and (lease_until is null or lease_until < ${now(db)} - ${graceMs})
      and not exists (select 1 from run_logs where run_id = runs.id and (
        message_sentence like ${`%"code":"${message.sentence?.code ?? ''}"%`}
        or (message_sentence is null and message = ${message.text})))
    order by created_at, id limit ${limit}`.execute(db);
  return rows;
}
