import type { Database, DatabaseOptions } from './database-types.ts';
import { openPostgres } from './postgres/postgres.ts';
import { openSqlite } from './sqlite.ts';

export type { Db, Tx, Dialect, Database, WriteOptions, DatabaseOptions } from './database-types.ts';

/** Opens the database and brings its tables up to date. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if ('file' in options) return openSqlite(options.file);
  const { url, poolSize, idleTransactionMs } = options;
  return openPostgres(url, {
    ...(poolSize === undefined ? {} : { size: poolSize }),
    ...(idleTransactionMs === undefined ? {} : { idleTransactionMs }),
  });
}
