import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { newId } from '../../kernel/ids.ts';

/** A data directory that this process holds alone. */
export type DirectoryLock = { release(): void };

/** Somebody else holds the directory. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';
}

/**
 * Takes a directory for this process alone, by an exclusive SQLite transaction on a file in it: the operating system ends it
 * with the process, however that dies, and no stale lock remains. Throws DirectoryInUseError when it is taken.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const lock = lockFile(join(directory, 'lock'), 0);
  if (lock === undefined)
    throw new DirectoryInUseError(`The data folder ${directory} is in use by another running service`);
  return lock;
}

/** The same on a file of any name; undefined when somebody else holds it for longer than `timeoutMs`. */
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

/** The name of a data directory, made at its first use: what tells it from those of other services at the same database. */
export async function loadPlace(directory: string): Promise<string> {
  const path = join(directory, 'place');
  try {
    const place = (await readFile(path, 'utf8')).trim();
    if (place !== '') return place;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const place = newId();
  await writeFile(`${path}.new`, `${place}\n`);
  await rename(`${path}.new`, path);
  return place;
}

/** Whether somebody holds the lock on a file; one that isn't there nobody holds. */
export function isFileLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const database = new BetterSqlite3(path, { timeout: 0 });
  try {
    // A read of the file needs the lock that a holder denies; it leaves nothing behind.
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
