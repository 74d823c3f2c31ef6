import { chmod, mkdir, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import {
  besideName,
  blobPaths,
  findPointedObjects,
  listBlobs,
  listLeftovers,
  measureBlobs,
  verifyBlobs,
  type BlobPaths,
} from '../blobs/index.ts';
import { openDatabase, type Database, type DatabaseOptions } from '../database/database.ts';
import type { ReadOnlyDatabase } from '../database/read-only-database.ts';
import { openSqliteReadOnly } from '../database/sqlite.ts';
import { DirectoryInUseError, lockFile } from '../database/directory-lock.ts';
import {
  BackupError,
  hashFile,
  openBackupFolder,
  snapshotDatabase,
  unfinishedUploads,
  type Backup,
  type BackupFolder,
  type BackupList,
  type FileSum,
  type Manifest,
  type UnreadableBackup,
} from './backup-folder.ts';
import { takeSnapshot } from './database-snapshot.ts';
import { copyRange, createCopier, isSameBefore, sizeOf } from './object-copy.ts';
import { mendPack, withSnapshot } from './pack-mending.ts';
import { pinBlobs } from './pin.ts';
import { listChunksBeside, listSealedFiles, listUnsealedAssemblies } from './queries/assemblies.ts';
import { findOrigin } from './queries/data-folders.ts';
import { listPackEnds } from './queries/packs.ts';

export type BackupOptions = {
  dataDirectory: string;
  /** Folder of the blob store. */
  blobDirectory: string;
  database: DatabaseOptions;
  /** The folder of backups. */
  into: string;
  /** Number of backups to keep; older ones are removed. */
  keep: number;
  /** Also reads back and checks what earlier backups copied. */
  checkAll?: boolean;
  release: string;
  now: Date;
  onProgress?: (done: { blobs: number; bytes: number }) => void;
};

export type BackedUp = Backup & {
  /** Blobs whose copies were damaged and were copied again. */
  mended: readonly string[];
  /** Earlier backups whose manifest can't be read. While there are any, no bytes are removed. */
  unreadable: readonly UnreadableBackup[];
  /** Earlier backups with any other damage: all of them with `checkAll`, else those that pruning found. */
  damaged: readonly UnreadableBackup[];
};

const rowsPerPage = 1000;

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
  let mended: string[];
  try {
    const origin = await findOrigin(snapshot.read);
    const latest = earlier.backups.at(-1);
    if (latest !== undefined && latest.manifest.origin !== origin)
      throw new BackupError(`${folder.path} holds backups of another data folder; use a new one`);
    const objects = await copyObjects(options, folder, snapshot, { path, earlier });
    mended = objects.mended;
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
    mended,
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

async function copyObjects(
  options: BackupOptions,
  folder: BackupFolder,
  snapshot: Database,
  { path, earlier }: { path: string; earlier: BackupList },
): Promise<{ contents: Pick<Manifest, 'packs' | 'blobs' | 'copied' | 'damaged' | 'unfinished'>; mended: string[] }> {
  const { onProgress, checkAll = false } = options;
  const live = blobPaths(options.blobDirectory);
  const kept = blobPaths(folder.blobs);
  const copier = createCopier();
  const done = { blobs: 0, bytes: 0 };
  const copied = { count: 0, sizeBytes: 0 };
  for (const directory of [kept.packs, kept.files]) await mkdir(directory, { recursive: true, mode: 0o700 });

  const held = await findHeldBytes(earlier);
  const mended = new Set<string>();
  const mend = async (packId: string): Promise<void> => {
    const places = { packId, source: live.packPath(packId), copy: kept.packPath(packId) };
    const heldBytes = held.get(packId) ?? 0;
    const users = [...earlier.backups, ...earlier.unreadable];
    for (const id of await mendPack({ ...places, heldBytes, snapshot, earlier: users })) mended.add(id);
  };
  const packs: Record<string, number> = {};
  for (const { pack_id: id, end_bytes: toBytes } of await listPackEnds(snapshot.scan)) {
    const fromBytes = held.get(id) ?? 0;
    const [source, copy] = [live.packPath(id), kept.packPath(id)];
    if (!(await isSameBefore(source, copy, Math.min(fromBytes, toBytes)))) await mend(id);
    if (fromBytes < toBytes) await copyRange(source, copy, { fromBytes, toBytes });
    packs[id] = Math.max(fromBytes, toBytes);
  }

  const added = new Set<string>();
  /** Ids of blobs that no backup has read back yet. An interrupted backup may have left a copy. */
  async function* newBlobs(): AsyncGenerator<string[]> {
    for (let afterId = ''; ;) {
      const rows = await listBlobs(snapshot.scan, afterId, rowsPerPage);
      const last = rows.at(-1);
      if (last === undefined) return;
      added.clear();
      const files = rows.filter(({ kind }) => kind === 'file').map(({ object_id: id }) => id);
      const checked = await findCheckedFiles(earlier, files);
      for (const row of rows) {
        if (row.kind === 'empty') continue;
        if (row.kind === 'file') {
          const target = kept.filePath(row.object_id);
          const isThere = (await sizeOf(target)) === row.size_bytes;
          if (isThere && checked.has(row.object_id)) continue;
          if (!isThere) await copier.copy(live.filePath(row.object_id), target);
        } else if (row.object_offset + row.size_bytes <= (held.get(row.object_id) ?? 0)) continue;
        added.add(row.id);
        copied.count += 1;
        copied.sizeBytes += row.size_bytes;
      }
      yield checkAll ? rows.map(({ id }) => id) : [...added];
      afterId = last.id;
    }
  }

  const damaged: { blobId: string; problem: string }[] = [];
  const onChecked = (sizeBytes: number): void => {
    done.blobs += 1;
    done.bytes += sizeBytes;
    onProgress?.(done);
  };
  const check = verifyBlobs({ directory: folder.blobs, db: snapshot, blobIds: newBlobs(), onProgress: onChecked });
  for await (const { blobId, problem, place } of check) {
    if (!(await isDamaged(options.blobDirectory, snapshot, blobId))) {
      if (!added.has(blobId)) {
        const objectId = basename(place.path);
        if (place.path.startsWith(kept.files)) await copier.copy(live.filePath(objectId), place.path);
        else await mend(objectId);
        mended.add(blobId);
      }
      // A wrong copy that was made just now means that the backup disk can't be trusted.
      if (added.has(blobId) || (await isDamaged(folder.blobs, snapshot, blobId)))
        throw new BackupError(
          `The disk of ${folder.path} gave other bytes than were written (blob ${blobId}); this backup is not complete`,
        );
      continue;
    }
    damaged.push({ blobId, problem });
    // If its bytes are repaired later, the next backup copies them.
    if (place.path.startsWith(kept.files)) await unlink(place.path).catch(() => {});
  }
  for (const { object_id: id } of await listSealedFiles(snapshot.scan))
    if ((await sizeOf(kept.filePath(id))) === undefined) await copier.copy(live.filePath(id), kept.filePath(id));
  const unfinished = await copyUnfinishedUploads(live, snapshot, join(path, unfinishedUploads), copier);
  await copier.sync();
  const { blobs: count, bytes: sizeBytes } = await measureBlobs(snapshot.scan);
  return { contents: { packs, blobs: { count, sizeBytes }, copied, damaged, unfinished }, mended: [...mended] };
}

/**
 * How many bytes of each pack earlier backups hold. For a backup whose manifest can't be read, this is taken from the rows of
 * its database, because its bytes must not be overwritten.
 */
async function findHeldBytes({ backups, unreadable }: BackupList): Promise<Map<string, number>> {
  const held = new Map(Object.entries(backups.at(-1)?.manifest.packs ?? {}));
  for (const { path } of unreadable)
    await withSnapshot(path, async (db) => {
      for (const { pack_id: id, end_bytes: endBytes } of await listPackEnds(db.scan))
        held.set(id, Math.max(held.get(id) ?? 0, endBytes));
    });
  return held;
}

/** Files that the latest backup holds, and has therefore read back; empty if its database is damaged. */
async function findCheckedFiles({ backups }: BackupList, ids: readonly string[]): Promise<Set<string>> {
  const latest = backups.at(-1);
  let found = new Set<string>();
  if (latest !== undefined && ids.length > 0)
    await withSnapshot(latest.path, async (db) => {
      found = await findPointedObjects(db.scan, ids);
    });
  return found;
}

async function isDamaged(directory: string, snapshot: Database, blobId: string): Promise<boolean> {
  async function* one(): AsyncGenerator<string[]> {
    yield [blobId];
  }
  for await (const { problem } of verifyBlobs({ directory, db: snapshot, blobIds: one() })) if (problem) return true;
  return false;
}

/**
 * Each backup has its own copy of unfinished uploads because their files still change; a restore drops chunks that moved during
 * the copy. Returns the checksums of the copies by path below the backup's folder.
 */
async function copyUnfinishedUploads(
  live: BlobPaths,
  snapshot: Database,
  into: string,
  copier: ReturnType<typeof createCopier>,
): Promise<Record<string, FileSum>> {
  const own = blobPaths(into);
  const sums: Record<string, FileSum> = {};
  const copy = async (from: string, to: string): Promise<void> => {
    if (await copier.copy(from, to)) sums[relative(dirname(into), to)] = await hashFile(to);
  };
  for (const id of await listUnsealedAssemblies(snapshot.scan)) await copy(live.filePath(id), own.filePath(id));
  for (const { assembly_id: id, chunk_no: chunkNo, beside } of await listChunksBeside(snapshot.scan)) {
    const name = besideName(id, chunkNo, beside);
    await copy(live.besidePath(name), own.besidePath(name));
  }
  return sums;
}

/**
 * Removes all but the newest backups and the bytes that only they held; returns the kept backups whose database is damaged. While
 * there are any, no bytes are removed: what they hold is unknown.
 */
async function prune(folder: BackupFolder, keep: number): Promise<UnreadableBackup[]> {
  const { backups: all, unreadable } = await folder.list();
  const kept = all.slice(-keep);
  for (const { name } of all.slice(0, -keep)) await folder.remove(name);
  if (unreadable.length > 0) return [];
  const databases: ReadOnlyDatabase[] = [];
  const damaged: UnreadableBackup[] = [];
  try {
    const leftovers: string[] = [];
    // Opened without migrating: a migration would change the checksum that the manifest records.
    const [newest, ...others] = kept.toReversed();
    if (newest === undefined) return [];
    const newestDatabase = openSqliteReadOnly(join(newest.path, snapshotDatabase));
    databases.push(newestDatabase);
    for await (const { path } of listLeftovers({ directory: folder.blobs, db: newestDatabase })) leftovers.push(path);
    const pointed = new Set<string>();
    for (const { name, path } of others) {
      const isWhole = await withSnapshot(path, async (db) => {
        for (let from = 0; from < leftovers.length; from += rowsPerPage) {
          const ids = leftovers.slice(from, from + rowsPerPage).map((leftover) => basename(leftover));
          for (const id of await findPointedObjects(db.scan, ids)) pointed.add(id);
        }
      });
      if (!isWhole) damaged.push({ name, path, problem: damagedDatabase(path) });
    }
    if (damaged.length === 0) for (const path of leftovers) if (!pointed.has(basename(path))) await unlink(path);
    return damaged;
  } finally {
    for (const db of databases) await db.close();
  }
}

/** Checks what backups don't share: the database and the unfinished uploads of each. */
async function findDamaged(backups: readonly Backup[]): Promise<UnreadableBackup[]> {
  const damaged: UnreadableBackup[] = [];
  for (const { name, path, manifest } of backups) {
    const isRight = async (file: string, sum: FileSum): Promise<boolean> =>
      (await sizeOf(join(path, file))) === sum.sizeBytes && (await hashFile(join(path, file))).sha256 === sum.sha256;
    if (!(await isRight(manifest.database.file, manifest.database)))
      damaged.push({ name, path, problem: damagedDatabase(path) });
    for (const [file, sum] of Object.entries(manifest.unfinished ?? {}))
      if (!(await isRight(file, sum)))
        damaged.push({ name, path, problem: `its part of an unfinished upload ${join(path, file)} is damaged` });
  }
  return damaged;
}

function damagedDatabase(path: string): string {
  return `its database ${join(path, snapshotDatabase)} is damaged`;
}
