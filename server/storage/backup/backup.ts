import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { openDatabase, type DatabaseOptions } from '../database/database.ts';
import { DirectoryInUseError, lockFile } from '../database/directory-lock.ts';
import {
  BackupError,
  hashFile,
  openBackupFolder,
  snapshotDatabase,
  type Backup,
  type BackupFolder,
  type BackupList,
  type Manifest,
  type UnreadableBackup,
} from './backup-folder.ts';
import { takeSnapshot } from './database-snapshot.ts';
import { sizeOf } from './object-copy.ts';
import { pinBlobs } from './pin.ts';
import { findOrigin } from './queries/data-folders.ts';
import { copyContents, type ContentsOptions } from './backup-contents.ts';
import { prune, findDamaged } from './earlier-backups.ts';

export type BackupOptions = ContentsOptions & {
  dataDirectory: string;
  database: DatabaseOptions;
  /** The folder of backups. */
  into: string;
  /** Number of backups to keep; older ones are removed. */
  keep: number;
  release: string;
  now: Date;
};

export type BackedUp = Backup & {
  /** Blobs whose copies were damaged and were copied again. */
  repaired: readonly string[];
  /** Earlier backups whose manifest can't be read. While there are any, no bytes are removed. */
  unreadable: readonly UnreadableBackup[];
  /** Earlier backups with any other damage: all of them with `checkAll`, else those that pruning found. */
  damaged: readonly UnreadableBackup[];
};

/**
 * Backs up a data folder while its service runs or is stopped: first the database as of one moment, then the bytes that it refers
 * to, which are pinned meanwhile. Bytes already in an earlier backup are not copied again. The manifest is written last, after
 * everything is copied, synced and read back; a folder without one is not a backup.
 */
export async function backUp(options: BackupOptions): Promise<BackedUp> {
  const into = resolve(options.into);
  const inside = relative(resolve(options.dataDirectory), into);
  if (inside === '' || !(inside.startsWith('..') || inside.startsWith('/')))
    throw new BackupError(`The backup can not stand in the data folder itself: ${into}`);
  if ((await sizeOf(options.dataDirectory)) === undefined)
    throw new BackupError(`There is no data folder ${options.dataDirectory}: nothing has been stored there yet`);
  await mkdir(into, { recursive: true, mode: 0o700 });
  const lockPath = join(into, 'lock');
  await writeFile(lockPath, '', { flag: 'a', mode: 0o600 });
  await chmod(lockPath, 0o600);
  const lock = lockFile(lockPath, 0);
  if (lock === undefined) throw new DirectoryInUseError(`Another backup or restore is at work in ${into}`);
  try {
    const pin = pinBlobs(options.dataDirectory);
    if (pin === undefined)
      throw new DirectoryInUseError(`Another backup of ${options.dataDirectory} is under way; wait for its end`);
    try {
      return await backUpPinned(options, openBackupFolder(into));
    } finally {
      pin.release();
    }
  } finally {
    lock.release();
  }
}

async function backUpPinned(options: BackupOptions, folder: BackupFolder): Promise<BackedUp> {
  const { now, release, keep } = options;
  await folder.removeUnfinished();
  const earlier = await folder.list();
  const name = nameOf(now, earlier);
  const path = await folder.begin(name);
  const file = join(path, snapshotDatabase);
  await takeSnapshot(options.database, file);

  const snapshot = await openDatabase({ file });
  let contents: Omit<Manifest, 'format' | 'release' | 'createdAt' | 'database'>;
  let repaired: string[];
  try {
    const origin = await findOrigin(snapshot.read);
    const latest = earlier.backups.at(-1);
    if (latest !== undefined && latest.manifest.origin !== origin)
      throw new BackupError(`${folder.path} holds backups of another data folder; use a new one`);
    const objects = await copyContents(options, folder, snapshot, { path, earlier });
    repaired = objects.repaired;
    contents = { origin, ...objects.contents };
  } finally {
    await snapshot.close();
  }
  const manifest: Manifest = {
    format: 1,
    release,
    createdAt: now.toISOString(),
    database: {
      file: snapshotDatabase,
      from: 'url' in options.database ? 'postgres' : 'sqlite',
      ...(await hashFile(file)),
    },
    ...contents,
  };
  await folder.complete(name, manifest);
  const blind = await prune(folder, keep);
  const { backups } = options.checkAll === true ? await folder.list() : { backups: [] };
  const found = [...blind, ...(await findDamaged(backups))];
  const damaged = [...new Map(found.map((backup) => [backup.problem, backup])).values()];
  return {
    name,
    path: join(folder.path, 'snapshots', name),
    manifest,
    repaired,
    unreadable: earlier.unreadable,
    damaged,
  };
}

/** `2026-11-22T07-50-00Z`; names sort by time, even when the clock is set back or two backups start within a second. */
function nameOf(now: Date, { backups, unreadable }: BackupList): string {
  const latest =
    [...backups, ...unreadable]
      .map((backup) => backup.name)
      .sort()
      .at(-1) ?? '';
  for (let time = now.getTime(); ; time += 1000) {
    const name = `${new Date(time).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
    if (name > latest) return name;
  }
}
