import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { newId } from '../../kernel/ids.ts';

/** A lock on a data directory. */
export type DirectoryLock = { release(): void };

/** Another process holds the directory. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';
}

/**
 * Locks a directory for this process by an exclusive SQLite transaction on a file in it: the operating system releases the lock
 * however the process dies, so none becomes stale. Throws DirectoryInUseError if the directory is locked.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const lock = lockFile(join(directory, 'lock'), 0);
  if (lock === undefined)
    throw new DirectoryInUseError(`The data folder ${directory} is in use by another running service`);
  return lock;
}

/** Locks a file of any name; undefined when another process holds it for longer than `timeoutMs`. */
export function lockFile(path: string, timeoutMs: number): DirectoryLock | undefined {
  const database = new BetterSqlite3(path, { timeout: timeoutMs });
  try {
    database.pragma('journal_mode = DELETE');
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return {
    release() {
      database.close();
    },
  };
}

/** The id of a data directory; undefined before its first use. */
export async function findPlace(directory: string): Promise<string | undefined> {
  try {
    const place = (await readFile(placeFile(directory), 'utf8')).trim();
    return place === '' ? undefined : place;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function placeFile(directory: string): string {
  return join(directory, 'place');
}

/** The id of a data directory, created on first use; distinguishes it from those of other services on the same database. */
export async function loadPlace(directory: string): Promise<string> {
  const known = await findPlace(directory);
  if (known !== undefined) return known;
  const path = placeFile(directory);
  const place = newId();
  await writeFile(`${path}.new`, `${place}\n`);
  await rename(`${path}.new`, path);
  return place;
}

/** Whether another process holds the lock on a file; false when the file does not exist. */
export function isFileLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const database = new BetterSqlite3(path, { timeout: 0 });
  try {
    // Reading needs a lock, which fails while another process holds its own; it leaves nothing behind.
    database.prepare('select count(*) from sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

function isBusy(error: unknown): boolean {
  return (error as { code?: string }).code?.startsWith('SQLITE_BUSY') === true;
}
