import { existsSync } from 'node:fs';
import type { Database, DatabaseOptions } from './database.ts';
import { isUpToDate } from './migrate.ts';
import { openPostgresReadOnly } from './postgres/postgres.ts';
import { openSqliteReadOnly } from './sqlite.ts';

/** The metadata store for whoever only looks: no table is made or changed, and whoever else is at work isn't disturbed. */
export type ReadOnlyDatabase = Pick<Database, 'dialect' | 'read' | 'scan' | 'close'>;

/** There is no database, or it is not of this version of the service. */
export class DatabaseNotReadyError extends Error {
  override readonly name = 'DatabaseNotReadyError';
}

/** Opens what is there, beside a running service or without one. Throws DatabaseNotReadyError. */
export async function openDatabaseReadOnly(options: DatabaseOptions): Promise<ReadOnlyDatabase> {
  // Opening a SQLite file that isn't there would make it.
  if ('file' in options && !existsSync(options.file))
    throw new DatabaseNotReadyError(`There is no database ${options.file}: nothing has been stored there yet`);
  const db = 'url' in options ? openPostgresReadOnly(options.url, options.poolSize) : openSqliteReadOnly(options.file);
  try {
    if (!(await isUpToDate(db.read, db.dialect)))
      throw new DatabaseNotReadyError('The database is of another version of the service; start this version once');
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}
