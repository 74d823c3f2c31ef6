import { accessSync, constants, existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { DatabaseOptions, ReadOnlyDatabase } from './database-types.ts';
import { isUpToDate } from './migrate.ts';
import { openPostgresReadOnly } from './postgres/postgres.ts';
import { openSqliteReadOnly } from './sqlite.ts';

export type { ReadOnlyDatabase } from './database-types.ts';

/** There is no database, or it belongs to another release. */
export class DatabaseNotReadyError extends Error {
  override readonly name = 'DatabaseNotReadyError';
}

/** Opens an existing database, whether its service is running or stopped. Throws DatabaseNotReadyError. */
export async function openDatabaseReadOnly(options: DatabaseOptions): Promise<ReadOnlyDatabase> {
  // Opening a missing SQLite file would create it.
  if ('file' in options && !existsSync(options.file))
    throw new DatabaseNotReadyError(`There is no database ${options.file}: nothing has been stored there yet`);
  const db =
    'url' in options ? openPostgresReadOnly(options.url, options.poolSize) : await openSqliteFile(options.file);
  try {
    if (!(await isUpToDate(db.read, db.dialect)))
      throw new DatabaseNotReadyError('The database is of another version of the service; start this version once');
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function openSqliteFile(file: string): Promise<ReadOnlyDatabase> {
  if (isWritable(dirname(file))) return openSqliteReadOnly(file);
  // To read a file with a WAL, SQLite must write an index next to it; opened as immutable, it would ignore the WAL, and with
  // it the last commits of a snapshot of a running service.
  const folder = await mkdtemp(join(tmpdir(), 'tilth-database-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, basename(file));
    await copyFile(file, copy);
    if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, `${copy}-wal`);
    const db = openSqliteReadOnly(copy);
    return {
      ...db,
      copiedTo: folder,
      async close() {
        await db.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
