import type { Db } from '../database/database.ts';
import { listExecutedSteps } from '../database/migrate.ts';
import { migrations } from '../database/migrations/index.ts';
import { hasRows, listTableNames } from './queries/tables.ts';

/** What a process makes before the tables of the service, and fills by itself. */
const bookkeeping = new Set(['kysely_migration', 'kysely_migration_lock', 'connection_commits']);

/**
 * Whether a database of PostgreSQL holds nothing yet. Also one to which an import was killed at its beginning: it makes the tables
 * first, then writes all rows at once.
 */
export async function isNewDatabase(db: Db): Promise<boolean> {
  const tables = (await listTableNames(db)).filter((name) => !bookkeeping.has(name));
  const executed = await listExecutedSteps(db, 'postgres');
  if (executed.length === 0 || tables.length === 0) return executed.length === tables.length;
  // Of a newer release, or of another program.
  if (!executed.every((name) => Object.hasOwn(migrations, name))) return false;
  for (const table of tables) if (await hasRows(db, table)) return false;
  return true;
}
