import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { blobPaths, listBlobs, verifyBlobs, verifyChunks, type BlobPaths } from '../blobs/index.ts';
import { openDatabase, type Database, type DatabaseOptions } from '../database/database.ts';
import { loadPlace, lockDirectory } from '../database/directory-lock.ts';
import { openPostgresReadOnly } from '../database/postgres/postgres.ts';
import {
  BackupError,
  exists,
  hashFile,
  openBackupFolder,
  snapshotDatabase,
  syncPath,
  unfinishedUploads,
  type Backup,
  type BackupList,
  type UnreadableBackup,
} from './backup-folder.ts';
import { importIntoPostgres } from './database-snapshot.ts';
import { createCopier, sizeOf } from './object-copy.ts';
import { markIndexesToBeMade } from './index-mark.ts';
import { isNewDatabase } from './new-database.ts';
import { deleteChunk, listSealedFiles } from './queries/assemblies.ts';
import { bindRuns } from './queries/data-folders.ts';
import { listPackEnds } from './queries/packs.ts';

export type RestoreOptions = {
  /** The folder of backups; read only. */
  from: string;
  /** Name of the backup; default the newest. */
  name?: string | undefined;
  /** A folder that is empty or does not exist yet. */
  dataDirectory: string;
  blobDirectory: string;
  database: DatabaseOptions;
  onProgress?: (done: { blobs: number; bytes: number }) => void;
};

export type Restored = {
  backup: Backup;
  /** Backups whose manifest can't be read. */
  unreadable: readonly UnreadableBackup[];
  blobs: number;
  bytes: number;
  /** Blobs that were damaged or missing before the backup was made. */
  damaged: number;
  /** Received chunks of unfinished uploads that clients must send again. */
  droppedChunks: number;
};

/** Present in a data folder until everything is restored and checked. */
const unfinishedMarker = 'restore-unfinished';
const rowsPerPage = 1000;

/** The folder holds an interrupted restore, which a service would mistake for an empty data folder. */
export class UnfinishedRestoreError extends Error {
  override readonly name = 'UnfinishedRestoreError';
}

export async function requireRestored(dataDirectory: string): Promise<void> {
  if (await exists(join(dataDirectory, unfinishedMarker)))
    throw new UnfinishedRestoreError(
      `A restore into ${dataDirectory} was not finished; run it again, it begins anew by itself`,
    );
}

/** The backups of a folder, oldest first. */
export function listBackups(path: string): Promise<BackupList> {
  return openBackupFolder(resolve(path)).list();
}

/**
 * Creates a data folder (and fills an empty PostgreSQL database) from a backup. All bytes are copied and compared with their
 * checksums before the database is put in place; an interrupted restore can be run again.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { dataDirectory, blobDirectory, database } = options;
  const list = await listBackups(options.from);
  const backup = findBackup(options, list);
  await requireEmptyTarget(options);
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(dataDirectory);
  try {
    if ('url' in database) await requireEmptyDatabase(database.url);
    await writeFile(join(dataDirectory, unfinishedMarker), `${backup.path}\n`, { mode: 0o600 });
    await rm(blobDirectory, { recursive: true, force: true });
    const file = join(dataDirectory, 'restored.db');
    for (const ending of ['', '-wal', '-shm']) await rm(`${file}${ending}`, { force: true });

    const copier = createCopier();
    await copier.copy(join(backup.path, snapshotDatabase), file);
    const { sha256 } = await hashFile(file);
    if (sha256 !== backup.manifest.database.sha256)
      throw new BackupError(`The database of the backup ${backup.name} is damaged; restore another one (--list)`);
    const db = await openDatabase({ file });
    let restored: Omit<Restored, 'unreadable'>;
    try {
      restored = await restoreObjects(options, backup, db, copier);
      // The bytes that runs need are now in this folder; the processes that executed them are elsewhere or dead.
      const place = await loadPlace(dataDirectory);
      await db.write((tx) => bindRuns(tx, place));
    } finally {
      await db.close();
    }
    if ('url' in database) {
      await importIntoPostgres(file, database.url);
      await rm(file);
    } else {
      await syncPath(file);
      await rename(file, database.file);
    }
    await markIndexesToBeMade(dataDirectory);
    await syncPath(dataDirectory);
    await rm(join(dataDirectory, unfinishedMarker));
    await syncPath(dataDirectory);
    return { ...restored, unreadable: list.unreadable };
  } finally {
    lock.release();
  }
}

function findBackup({ from, name }: RestoreOptions, { backups, unreadable }: BackupList): Backup {
  const found = name === undefined ? backups.at(-1) : backups.find((backup) => backup.name === name);
  if (found !== undefined) return found;
  const bad = name === undefined ? unreadable.at(-1) : unreadable.find((backup) => backup.name === name);
  if (bad !== undefined)
    throw new BackupError(`The backup ${bad.name} can not be restored: ${bad.problem}; see restore --list`);
  throw new BackupError(
    name === undefined
      ? `There is no complete backup in ${from}`
      : `There is no backup ${name} in ${from}; --list shows all`,
  );
}

async function requireEmptyTarget({ from, dataDirectory }: RestoreOptions): Promise<void> {
  const inside = relative(resolve(from), resolve(dataDirectory));
  if (!inside.startsWith('..') && !inside.startsWith('/'))
    throw new BackupError(`The data folder ${dataDirectory} can not stand in the folder of backups`);
  if (!(await exists(dataDirectory)) || (await exists(join(dataDirectory, unfinishedMarker)))) return;
  const inTheWay = (await readdir(dataDirectory)).filter((name) => name !== 'lost+found' && name !== 'lock');
  if (inTheWay.length > 0)
    throw new BackupError(
      `The data folder ${dataDirectory} is not empty (${inTheWay[0]}); restore into a new one, set TILTH_DATA_DIR`,
    );
}

async function requireEmptyDatabase(url: string): Promise<void> {
  const db = openPostgresReadOnly(url);
  try {
    if (!(await isNewDatabase(db.read)))
      throw new BackupError('The database of TILTH_DATABASE_URL is not empty; make a new one and restore into that');
  } finally {
    await db.close();
  }
}

async function restoreObjects(
  { from, blobDirectory, onProgress }: RestoreOptions,
  backup: Backup,
  db: Database,
  copier: ReturnType<typeof createCopier>,
): Promise<Omit<Restored, 'unreadable'>> {
  const kept = blobPaths(openBackupFolder(resolve(from)).blobs);
  const target = blobPaths(blobDirectory);
  for (const folder of [target.packs, target.files, target.beside])
    await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const { pack_id: id } of await listPackEnds(db.scan)) await copier.copy(kept.packPath(id), target.packPath(id));
  for (const { object_id: id } of await listSealedFiles(db.scan))
    await copier.copy(kept.filePath(id), target.filePath(id));

  const done = { blobs: 0, bytes: 0 };
  async function* copiedBlobs(): AsyncGenerator<string[]> {
    for (let afterId = ''; ;) {
      const rows = await listBlobs(db.scan, afterId, rowsPerPage);
      const last = rows.at(-1);
      if (last === undefined) return;
      for (const row of rows)
        if (row.kind === 'file' && (await sizeOf(target.filePath(row.object_id))) === undefined)
          await copier.copy(kept.filePath(row.object_id), target.filePath(row.object_id));
      yield rows.map(({ id }) => id);
      afterId = last.id;
    }
  }
  const known = new Set(backup.manifest.damaged.map(({ blobId }) => blobId));
  let damaged = 0;
  const check = verifyBlobs({
    directory: blobDirectory,
    db,
    blobIds: copiedBlobs(),
    onProgress(sizeBytes) {
      done.blobs += 1;
      done.bytes += sizeBytes;
      onProgress?.(done);
    },
  });
  for await (const { blobId, problem } of check) {
    if (!known.has(blobId))
      throw new BackupError(
        `The backup ${backup.name} is damaged: blob ${blobId} is ${problem}; restore another one (--list)`,
      );
    damaged += 1;
  }
  const droppedChunks = await restoreUnfinishedUploads(join(backup.path, unfinishedUploads), target, db, copier);
  await copier.sync();
  return { backup, ...done, damaged, droppedChunks };
}

/** Drops chunks whose bytes were moved during the copy: the upload then reports them as missing. */
async function restoreUnfinishedUploads(
  own: string,
  target: BlobPaths,
  db: Database,
  copier: ReturnType<typeof createCopier>,
): Promise<number> {
  if (await exists(own))
    for (const entry of await readdir(own, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) {
        const path = join(entry.parentPath, entry.name);
        await copier.copy(path, join(target.root, relative(own, path)));
      }
  let dropped = 0;
  for await (const { assemblyId, chunkNo } of verifyChunks({ directory: target.root, db })) {
    await db.write((tx) => deleteChunk(tx, assemblyId, chunkNo));
    dropped += 1;
  }
  return dropped;
}
