import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../kernel/ids.ts';
import { bindRuns, findOrigin, importIntoPostgres, isNewDatabase } from '../backup/index.ts';
import {
  findDataFolderNo,
  findObjectStore,
  insertDataFolder,
  insertObjectStore,
  isMissingFile,
} from '../blobs/index.ts';
import type { ObjectMover } from '../blobs/s3/index.ts';
import { openDatabase, type Database, type Tx } from '../database/database.ts';
import { loadPlace, lockDirectory } from '../database/directory-lock.ts';
import { openPostgresReadOnly } from '../database/postgres/postgres.ts';
import { openConnection } from '../database/sqlite-connection.ts';
import { moveObjects, type MovedObjects } from './object-moves.ts';
import { deleteReceivedChunks } from './queries/assemblies.ts';
import { hasTable } from './queries/tables.ts';

export type MoveOptions = {
  /** A data folder that holds the rows or the bytes of an installation, or both. No service may be running on it. */
  dataDirectory: string;
  /** The folder's database. */
  file: string;
  blobDirectory: string;
  /** A new PostgreSQL database for the rows; undefined: they are not moved. */
  databaseUrl: string | undefined;
  /** An empty folder of a bucket for the bytes; undefined: they are not moved. */
  storage: { url: string; objects: ObjectMover } | undefined;
  onProgress?: (done: { blobs: number; bytes: number }) => void;
};

export type Moved = {
  /** Undefined if the bytes are not moved. */
  objects: MovedObjects | undefined;
  /** Whether this call moved the rows; false if an earlier call did, or if they are not to be moved. */
  rows: boolean;
  /** Received chunks of unfinished uploads that clients must send again. */
  droppedChunks: number;
};

/** The installation can't be moved as the settings say; the message explains why. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
}

/** Present in a data folder while its bytes are copied; contains the marker of the bucket's folder. */
const markerFile = 'move-unfinished';
/** Present once the rows are in another database. */
const movedFile = 'moved-to-postgresql';

/** Refuses rows that were copied to PostgreSQL: otherwise, two services would continue from them. */
export async function requireNotMoved(dataDirectory: string): Promise<void> {
  const moved = await readText(join(dataDirectory, movedFile));
  if (moved === undefined) return;
  throw new MoveError(
    `the rows of ${dataDirectory} went to a PostgreSQL database on ${moved}: set TILTH_DATABASE_URL to it. To go back to the state of then, remove ${join(dataDirectory, movedFile)}`,
  );
}

/**
 * Copies an embedded installation to PostgreSQL, to an object store or both; only the last step switches to the copy.
 * After any interruption, the installation in the folder is intact, and the next call continues.
 */
export async function moveInstallation(options: MoveOptions): Promise<Moved> {
  const { dataDirectory, file, databaseUrl, storage } = options;
  const lock = lockDirectory(dataDirectory);
  try {
    const place = await loadPlace(dataDirectory);
    const db = await openDatabase({ file });
    try {
      if (databaseUrl !== undefined && (await isMovedTo(databaseUrl, place, await findOrigin(db.read)))) {
        await recordMove(dataDirectory);
        return { objects: undefined, rows: false, droppedChunks: 0 };
      }
      await requireNotMoved(dataDirectory);
      const known = await findObjectStore(db.read);
      const marker = known?.marker ?? (await loadMarker(dataDirectory));
      const isThere = known !== undefined;
      if (isThere && storage === undefined)
        throw new MoveError(`the bytes of this installation are in ${known.url}: set TILTH_STORAGE_URL to it`);
      let objects: MovedObjects | undefined;
      if (storage !== undefined) {
        await storage.objects.claim(marker);
        if (!isThere) objects = await moveObjects({ ...options, db, objects: storage.objects });
      }
      let droppedChunks = 0;
      const adopt = async (tx: Tx): Promise<void> => {
        if (storage === undefined || isThere) return;
        droppedChunks = await deleteReceivedChunks(tx);
        await insertObjectStore(tx, { marker, url: storage.url, first_used_at: new Date().toISOString() });
      };
      if (databaseUrl === undefined) await db.write(adopt);
      else await moveRows({ dataDirectory, file, databaseUrl }, place, adopt);
      await rm(join(dataDirectory, markerFile), { force: true });
      return { objects, rows: databaseUrl !== undefined, droppedChunks };
    } finally {
      await db.close();
    }
  } finally {
    lock.release();
  }
}

/** Whether the database already has the rows of this data folder. Throws if it has others. */
async function isMovedTo(url: string, place: string, origin: string): Promise<boolean> {
  const db = openPostgresReadOnly(url);
  try {
    if (await isNewDatabase(db.read)) return false;
    const isTilth = (await hasTable(db.read, 'kysely_migration')) && (await hasTable(db.read, 'data_folders'));
    const isMoved =
      isTilth && (await findOrigin(db.read)) === origin && (await findDataFolderNo(db.read, place)) !== undefined;
    if (!isMoved)
      throw new MoveError('the database of TILTH_DATABASE_URL is not empty: make a new one and move into that');
    return true;
  } finally {
    await db.close();
  }
}

/** Imports a prepared copy of the rows, all or nothing; the rows in the folder stay unchanged. */
async function moveRows(
  { dataDirectory, file, databaseUrl }: { dataDirectory: string; file: string; databaseUrl: string },
  place: string,
  adopt: (tx: Tx) => Promise<void>,
): Promise<void> {
  const copy = join(dataDirectory, 'moving.db');
  const endings = ['', '-wal', '-shm'];
  const remove = async (): Promise<void> => {
    for (const ending of endings) await rm(`${copy}${ending}`, { force: true });
  };
  await remove();
  try {
    // SQLite would apply the umask, and the file holds password hashes.
    await writeFile(copy, '', { mode: 0o600 });
    const connection = openConnection({ file, readonly: false });
    try {
      connection.run('vacuum into ?', [copy]);
    } finally {
      connection.close();
    }
    await prepare(copy, place, adopt);
    await importIntoPostgres(copy, databaseUrl);
    await recordMove(dataDirectory);
  } finally {
    await remove();
  }
}

async function prepare(copy: string, place: string, adopt: (tx: Tx) => Promise<void>): Promise<void> {
  const db: Database = await openDatabase({ file: copy });
  try {
    await db.write(async (tx) => {
      await bindRuns(tx, place);
      await insertDataFolder(tx, place, new Date().toISOString());
      await adopt(tx);
    });
  } finally {
    await db.close();
  }
}

async function recordMove(dataDirectory: string): Promise<void> {
  const path = join(dataDirectory, movedFile);
  if ((await readText(path)) === undefined) await writeWhole(path, new Date().toISOString());
}

async function loadMarker(dataDirectory: string): Promise<string> {
  const path = join(dataDirectory, markerFile);
  const known = await readText(path);
  if (known !== undefined) return known;
  const marker = newId();
  await writeWhole(path, marker);
  return marker;
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, `${text}\n`, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
