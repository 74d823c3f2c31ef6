import type { Db } from '../database/database.ts';
import { listExecutedSteps } from '../database/migrate.ts';
import { migrations } from '../database/migrations/index.ts';
import { hasRows, listTableNames } from './queries/tables.ts';

/** Tables that a process creates and fills before those of the service. */
const bookkeeping = new Set(['kysely_migration', 'kysely_migration_lock', 'connection_commits']);

/**
 * Whether a PostgreSQL database is still empty. Also true after an import was killed early: an import creates the tables
 * first, then writes all rows in one transaction.
 */
export async function isNewDatabase(db: Db): Promise<boolean> {
  const tables = (await listTableNames(db)).filter((name) => !bookkeeping.has(name));
  const executed = await listExecutedSteps(db, 'postgres');
  if (executed.length === 0 || tables.length === 0) return executed.length === tables.length;
  // Belongs to a newer release or another program.
  if (!executed.every((name) => Object.hasOwn(migrations, name))) return false;
  for (const table of tables) if (await hasRows(db, table)) return false;
  return true;
}
