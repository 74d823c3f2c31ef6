import type { Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Dialect } from './database.ts';
import { columnTypes, type ColumnTypes } from './column-types.ts';
import { migrations } from './migrations/index.ts';

/** One step of the database's history: tables and indexes as they are to be from then on. */
// oxlint-disable-next-line no-explicit-any -- a migration sees tables that today's types no longer know
export type MigrationStep = (db: Kysely<any>, types: ColumnTypes) => Promise<void>;

/** Brings the tables up to date, all steps that are missing in one transaction. */
// oxlint-disable-next-line no-explicit-any
export async function migrate(db: Kysely<any>, dialect: Dialect): Promise<void> {
  const { error } = await migratorOf(db, dialect).migrateToLatest();
  if (error !== undefined) throw error instanceof Error ? error : new Error('The migration failed', { cause: error });
}

/** Whether the tables are those of this version: no step is missing. Changes nothing. */
// oxlint-disable-next-line no-explicit-any
export async function isUpToDate(db: Kysely<any>, dialect: Dialect): Promise<boolean> {
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
