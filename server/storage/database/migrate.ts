import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Database, Dialect } from './database-types.ts';
import { columnTypes } from './column-types.ts';
import { isContracting, isExpanding } from './migration-kinds.ts';
import { migrations } from './migrations/index.ts';
import { lockName } from './named-lock.ts';
import type { MigrationStep } from './migrations/migration-step.ts';

/** A newer release has changed the schema in a way that this release does not support. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/** A migration waits for processes of older releases. */
class OlderNodesError extends Error {
  override readonly name = 'OlderNodesError';
  readonly waiting: WaitingContract;

  constructor(waiting: WaitingContract) {
    super(`The migration ${waiting.step} waits for older releases`);
    this.waiting = waiting;
  }
}

/** A migration that runs as soon as these processes have ended. */
export type WaitingContract = { step: string; nodes: { id: string; version: string; address: string }[] };

type Steps = Readonly<Record<string, MigrationStep>>;

/** The newest migration that this release knows. */
export const newestStep: string = Object.keys(migrations).at(-1) ?? '';

/**
 * Runs the missing migrations, one process at a time, in one transaction. Contracting migrations wait while processes of older
 * releases are alive: `migrate` then returns the first of them and must be called again later. Throws NewerDatabaseError.
 */
export async function migrate(
  // oxlint-disable-next-line no-explicit-any
  db: Kysely<any>,
  dialect: Dialect,
  steps: Steps = migrations,
): Promise<WaitingContract | undefined> {
  const before = await listExecutedSteps(db, dialect);
  requireKnown(before, steps);
  // SQLite has one process and one connection; with PostgreSQL, another process may migrate before this one's turn.
  const listExecuted = async (): Promise<string[]> => (dialect === 'sqlite' ? before : listExecutedSteps(db, dialect));
  const run = async (except: (name: string) => boolean): Promise<unknown> =>
    (await migratorOf(db, dialect, { steps, except, listExecuted }).migrateToLatest()).error;
  const error = await run(() => false);
  if (error === undefined) return undefined;
  if (!(error instanceof OlderNodesError)) throw asError(error);
  const rest = await run(isContracting);
  if (rest !== undefined) throw asError(rest);
  return error.waiting;
}

/** Retries contracting migrations, if this release has any; returns the first that still waits, undefined if none does. */
export async function runWaitingContracts(db: Database): Promise<WaitingContract | undefined> {
  if (!Object.keys(migrations).some(isContracting)) return undefined;
  return migrate(db.read, db.dialect);
}

/** Whether all migrations but contracting ones were executed. Changes nothing. Throws NewerDatabaseError. */
// oxlint-disable-next-line no-explicit-any
export async function isUpToDate(db: Kysely<any>, dialect: Dialect): Promise<boolean> {
  await requireKnownSteps(db, dialect);
  const executed = new Set(await listExecutedSteps(db, dialect));
  return Object.keys(migrations).every((name) => executed.has(name) || isContracting(name));
}

/** Throws NewerDatabaseError if a newer release has changed the schema incompatibly. */
// oxlint-disable-next-line no-explicit-any
export async function requireKnownSteps(db: Kysely<any>, dialect: Dialect): Promise<void> {
  requireKnown(await listExecutedSteps(db, dialect), migrations);
}

function requireKnown(executed: readonly string[], steps: Steps): void {
  const unknown = executed.find((name) => !Object.hasOwn(steps, name) && !isExpanding(name));
  if (unknown === undefined) return;
  throw new NewerDatabaseError(
    `The database was last used by a newer release of Tilth (its migration ${unknown} is unknown to this one); start that release or a later one`,
  );
}

/** Locks out concurrent starts of processes and contracting migrations, so that neither sees the other half done. */
// oxlint-disable-next-line no-explicit-any
export function lockNodes(tx: Kysely<any>): Promise<void> {
  return lockName(tx, 'nodes');
}

function migratorOf(
  // oxlint-disable-next-line no-explicit-any
  db: Kysely<any>,
  dialect: Dialect,
  {
    steps,
    except,
    listExecuted,
  }: { steps: Steps; except: (name: string) => boolean; listExecuted: () => Promise<string[]> },
): Migrator {
  const types = columnTypes(dialect);
  const known: Record<string, Migration> = {};
  for (const [name, step] of Object.entries(steps)) {
    if (except(name)) continue;
    known[name] = {
      async up(tx) {
        if (isContracting(name)) await requireNoOlderNodes(tx, dialect, name);
        await step(tx, types);
      },
    };
  }
  return new Migrator({
    db,
    provider: {
      // Called while no other process migrates.
      async getMigrations() {
        const executed = await listExecuted();
        requireKnown(executed, steps);
        // The migrator only needs the names of migrations that newer releases executed.
        for (const name of executed) known[name] ??= { up: async () => {} };
        return known;
      },
    },
    // A contracting migration that had to wait runs after later ones.
    allowUnorderedMigrations: true,
  });
}

// oxlint-disable-next-line no-explicit-any
async function requireNoOlderNodes(tx: Kysely<any>, dialect: Dialect, step: string): Promise<void> {
  if (dialect === 'sqlite') return;
  await lockNodes(tx);
  const { rows } = await sql<WaitingContract['nodes'][number]>`
    select id, version, address from nodes where newest_step < ${step} order by started_at`.execute(tx);
  if (rows.length > 0) throw new OlderNodesError({ step, nodes: rows });
}

/** Names of the executed migrations, in order; none in an empty database. */
// oxlint-disable-next-line no-explicit-any
export async function listExecutedSteps(db: Kysely<any>, dialect: Dialect): Promise<string[]> {
  const { rows: tables } = await (
    dialect === 'sqlite'
      ? sql`select 1 from sqlite_master where type = 'table' and name = 'kysely_migration'`
      : sql`select 1 where to_regclass('kysely_migration') is not null`
  ).execute(db);
  if (tables.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The migration failed', { cause: error });
}
