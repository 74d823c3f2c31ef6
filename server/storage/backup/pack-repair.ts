import { join } from 'node:path';
import {
  checkRecord,
  createRangeCheck,
  fileOperations,
  headerOf,
  listPackedRecords,
  type PackedRecord,
} from '../blobs/index.ts';
import type { ReadOnlyDatabase } from '../database/read-only-database.ts';
import { openSqliteReadOnly } from '../database/sqlite.ts';
import { BackupError, snapshotDatabase } from './backup-folder.ts';
import { copyRange } from './object-copy.ts';

type ExaminedRecord = PackedRecord & { isRightInSource: boolean; isRightInCopy: boolean };

const recordsPerPage = 1000;

/**
 * Copies records of a pack again if their copy is damaged and the data folder has the right bytes; returns their ids. A
 * record that is right in an earlier backup but differs in the data folder is not damaged: the two have diverged.
 */
export async function repairPack(options: {
  packId: string;
  source: string;
  copy: string;
  /** The copy must hold all bytes before this offset. */
  heldBytes: number;
  snapshot: ReadOnlyDatabase;
  /** Folders of earlier backups that use the copy. */
  earlier: readonly { path: string }[];
}): Promise<string[]> {
  const { source, copy, snapshot, earlier } = options;
  const records = await examine(snapshot, options);
  const wanted = records.filter(isTorn);
  for (const { path } of earlier)
    await withSnapshot(path, async (db) => {
      for (const record of await examine(db, options))
        if (isTorn(record)) wanted.push(record);
        else if (record.isRightInCopy && !record.isRightInSource && wanted.some((other) => overlap(record, other)))
          throw new BackupError(
            `The data folder and the backup have gone different ways (${copy} holds other bytes); back up into a new folder`,
          );
    });
  for (const { object_offset: offset, size_bytes: sizeBytes } of wanted)
    await copyRange(source, copy, { fromBytes: headerOf({ offset }).offset, toBytes: offset + sizeBytes });
  return [...new Set(wanted.map(({ id }) => id))];
}

/** Runs `work` on the database of a backup, unmigrated; returns false, possibly halfway through, if that database is damaged. */
export async function withSnapshot(path: string, work: (db: ReadOnlyDatabase) => Promise<void>): Promise<boolean> {
  let db: ReadOnlyDatabase | undefined;
  try {
    // Opened without migrating: a migration would change the checksum that the manifest records.
    db = openSqliteReadOnly(join(path, snapshotDatabase));
    await work(db);
    return true;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code !== 'string' || !/^SQLITE_(CORRUPT|NOTADB|CANTOPEN|ERROR)/.test(code)) throw error;
    return false;
  } finally {
    await db?.close();
  }
}

async function examine(
  db: ReadOnlyDatabase,
  { packId, source, copy, heldBytes }: { packId: string; source: string; copy: string; heldBytes: number },
): Promise<ExaminedRecord[]> {
  const examined: ExaminedRecord[] = [];
  const [inSource, inCopy] = [createRangeCheck(fileOperations), createRangeCheck(fileOperations)];
  try {
    for (let afterOffset = -1; ;) {
      const records = await listPackedRecords(db.scan, packId, afterOffset, recordsPerPage);
      for (const record of records) {
        if (record.object_offset >= heldBytes) return examined;
        const range = { offset: record.object_offset, sizeBytes: record.size_bytes };
        const problem = await checkRecord(inSource, { ...range, path: source }, record.crc32);
        const problemOfCopy = await checkRecord(inCopy, { ...range, path: copy }, record.crc32);
        examined.push({
          ...record,
          // A header only names the bytes: those behind a damaged header are still the right ones to copy.
          isRightInSource: problem === undefined || problem === 'header',
          isRightInCopy: problemOfCopy === undefined || (problemOfCopy === 'header' && problem === 'header'),
        });
      }
      const last = records.at(-1);
      if (last === undefined) return examined;
      afterOffset = last.object_offset;
    }
  } finally {
    await inSource.close();
    await inCopy.close();
  }
}

function isTorn({ isRightInSource, isRightInCopy }: ExaminedRecord): boolean {
  return isRightInSource && !isRightInCopy;
}

function overlap(one: PackedRecord, other: PackedRecord): boolean {
  return (
    one.object_offset < other.object_offset + other.size_bytes &&
    other.object_offset < one.object_offset + one.size_bytes
  );
}
