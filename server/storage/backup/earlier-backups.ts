import { unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findPointedObjects, listLeftovers } from '../blobs/index.ts';
import type { ReadOnlyDatabase } from '../database/read-only-database.ts';
import { openSqliteReadOnly } from '../database/sqlite.ts';
import {
  hashFile,
  snapshotDatabase,
  type Backup,
  type BackupFolder,
  type FileSum,
  type UnreadableBackup,
} from './backup-folder.ts';
import { sizeOf } from './object-copy.ts';
import { withSnapshot } from './pack-repair.ts';

const rowsPerPage = 1000;

/**
 * Removes all but the newest backups and the bytes that only they held; returns the kept backups whose database is damaged. While
 * there are any, no bytes are removed: what they hold is unknown.
 */
export async function prune(folder: BackupFolder, keep: number): Promise<UnreadableBackup[]> {
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
export async function findDamaged(backups: readonly Backup[]): Promise<UnreadableBackup[]> {
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
