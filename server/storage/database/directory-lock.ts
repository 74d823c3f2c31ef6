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
  const database = new BetterSqlite3(join(directory, 'lock'), { timeout: 0 });
  try {
    database.pragma('journal_mode = DELETE');
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY') === true)
      throw new DirectoryInUseError(`The data folder ${directory} is in use by another running service`, {
        cause: error,
      });
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
