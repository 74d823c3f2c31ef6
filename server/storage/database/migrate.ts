import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Dialect } from './database-types.ts';
import { columnTypes } from './column-types.ts';
import { migrations } from './migrations/index.ts';

/** A newer release has changed the tables in a way that this release does not know. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/** Runs all missing migrations in one transaction. Throws NewerDatabaseError. */
// oxlint-disable-next-line no-explicit-any
export async function migrate(db: Kysely<any>, dialect: Dialect): Promise<void> {
  await requireKnownSteps(db, dialect);
  const { error } = await migratorOf(db, dialect).migrateToLatest();
  if (error !== undefined) throw error instanceof Error ? error : new Error('The migration failed', { cause: error });
}

/** Whether no migration is missing. Changes nothing. Throws NewerDatabaseError. */
// oxlint-disable-next-line no-explicit-any
export async function isUpToDate(db: Kysely<any>, dialect: Dialect): Promise<boolean> {
  await requireKnownSteps(db, dialect);
  const steps = await migratorOf(db, dialect).getMigrations();
  return steps.every((step) => step.executedAt !== undefined);
}

// oxlint-disable-next-line no-explicit-any
function migratorOf(db: Kysely<any>, dialect: Dialect): Migrator {
  const types = columnTypes(dialect);
  const steps: Record<string, Migration> = {};
  for (const [name, step] of Object.entries(migrations)) steps[name] = { up: (connection) => step(connection, types) };
  return new Migrator({ db, provider: { getMigrations: async () => steps } });
}

// oxlint-disable-next-line no-explicit-any
async function requireKnownSteps(db: Kysely<any>, dialect: Dialect): Promise<void> {
  const executed = await listExecutedSteps(db, dialect);
  const unknown = executed.find((name) => !Object.hasOwn(migrations, name));
  if (unknown === undefined) return;
  throw new NewerDatabaseError(
    `The database was last used by a newer release of Tilth (its migration ${unknown} is unknown to this one); start that release or a later one`,
  );
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
