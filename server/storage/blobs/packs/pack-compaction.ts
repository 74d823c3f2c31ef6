import { newId } from '../../../kernel/ids.ts';
import type { Database } from '../../database/database.ts';
import type { DiskSpace } from '../../disk-space/index.ts';
import type { BlobFolders } from '../files/blob-folders.ts';
import type { Logger } from '../blob-store-options.ts';
import { crc32 } from '../../../kernel/crc32.ts';
import type { Eraser } from '../files/eraser.ts';
import { isMissingFile, readAvailable, type FileOperations } from '../files/file-operations.ts';
import type { FlushGroups } from './flush-groups.ts';
import type { OpenFiles } from '../files/open-files.ts';
import { recordHeaderBytes } from './pack-format.ts';
import type { PackWriter } from './pack-writer.ts';
import {
  listPackedRecords,
  moveRecords,
  sumPackedRecords,
  type PackedRecord,
  type RecordMove,
} from '../queries/blobs.ts';
import type { StagedBlobs } from '../staged-blobs.ts';

/** Frees the space of packs: empty ones are erased, mostly dead ones are rewritten into the current one. */
export type PackCompaction = {
  /** Call when a record in the pack was deleted; `isWiped`: its bytes must be erased however much of the pack is live. */
  touch(packId: string, isWiped?: boolean): void;
  run(): Promise<void>;
};

const recordsPerMove = 2000;

/** Record bytes moved per flush and transaction. */
const maxMoveBytes = 16 * 1024 * 1024;

export function createPackCompaction(options: {
  db: Database;
  operations: FileOperations;
  folders: BlobFolders;
  openFiles: OpenFiles;
  packs: PackWriter;
  flushes: FlushGroups;
  staged: StagedBlobs;
  eraser: Eraser;
  space: Pick<DiskSpace, 'isShort' | 'withReserve'>;
  logger: Logger;
  /** Whether this process knows all blobs in the pack, including those about to be adopted. */
  mayCompact?: (packId: string) => boolean;
}): PackCompaction {
  const { db, operations, folders, openFiles, packs, flushes, staged, eraser, space, logger } = options;
  const { mayCompact = () => true } = options;
  const touched = new Set<string>();
  const wiped = new Set<string>();

  async function compact(packId: string): Promise<void> {
    const { records } = await sumPackedRecords(db.scan, packId);
    if (records > 0) {
      if (!wiped.has(packId) && !(await isMostlyDead(packId))) return;
      if (!(await moveAll(packId))) return;
    }
    eraser.addPack(packId);
  }

  async function isMostlyDead(packId: string): Promise<boolean> {
    const { records, bytes } = await sumPackedRecords(db.scan, packId);
    try {
      return bytes + records * recordHeaderBytes < (await operations.sizeOf(folders.packPath(packId))) / 2;
    } catch (error) {
      // The pack is missing; reads and `verify` report its blobs.
      if (isMissingFile(error)) return false;
      throw error;
    }
  }

  /** Returns whether the pack is empty afterwards. */
  async function moveAll(packId: string): Promise<boolean> {
    const file = await openFiles.acquire(folders.packPath(packId));
    try {
      for (let after = -1; ;) {
        const page = await listPackedRecords(db.scan, packId, after, recordsPerMove);
        const last = page.at(-1);
        // The final count includes records that could not be moved.
        if (last === undefined) return (await sumPackedRecords(db.read, packId)).records === 0;
        for (const group of groupRecords(page)) {
          if (!(await moveGroup(packId, file.fd, group))) return false;
        }
        after = last.object_offset;
      }
    } finally {
      await file.release();
    }
  }

  async function moveGroup(packId: string, fd: number, group: readonly PackedRecord[]): Promise<boolean> {
    const stagedAs: string[] = [];
    try {
      const moves: RecordMove[] = [];
      for (const record of group) {
        const bytes = new Uint8Array(record.size_bytes);
        const length = await readAvailable(operations, fd, bytes, record.object_offset);
        if (length !== bytes.length || crc32(bytes) !== record.crc32) {
          // A damaged record stays where it is, and so does its pack: moving it would not help.
          logger.warn({ blobId: record.id }, 'The stored bytes of a blob are damaged');
          return false;
        }
        for (let room = packs.room(); room !== undefined; room = packs.room()) await room;
        const key = `move-${newId()}`;
        stagedAs.push(key);
        const place = packs.append({ id: record.id, crc32: record.crc32, bytes, stagedAs: key });
        moves.push({ from_offset: record.object_offset, to_object: place.objectId, to_offset: place.offset });
      }
      await flushes.flush();
      for (const key of stagedAs) staged.check(key);
      await db.write((tx) => moveRecords(tx, packId, moves));
      return true;
    } finally {
      for (const key of stagedAs) staged.forget(key);
    }
  }

  /** Fewest live bytes first: on a full disk, erasing an empty pack makes room for moving the rest of another. */
  async function fewestLiveBytesFirst(): Promise<string[]> {
    const packs: { packId: string; bytes: number }[] = [];
    for (const packId of touched) packs.push({ packId, bytes: (await sumPackedRecords(db.scan, packId)).bytes });
    return packs.sort((one, other) => one.bytes - other.bytes).map(({ packId }) => packId);
  }

  return {
    touch(packId, isWiped = false) {
      touched.add(packId);
      if (isWiped) wiped.add(packId);
    },
    async run() {
      let failure: { error: unknown } | undefined;
      for (const packId of space.isShort() ? await fewestLiveBytesFirst() : touched) {
        if (!mayCompact(packId)) continue;
        try {
          if (packs.isOpen(packId)) {
            // The current pack is compacted only when it is full, when space is short and most of it is dead, or to wipe it.
            if (!wiped.has(packId) && (!space.isShort() || !(await isMostlyDead(packId)))) continue;
            await packs.retire(packId);
          }
          await space.withReserve(() => compact(packId));
          touched.delete(packId);
          wiped.delete(packId);
          // Makes room for the next move.
          if (space.isShort()) await eraser.run();
        } catch (error) {
          failure ??= { error };
        }
      }
      if (failure !== undefined) throw failure.error;
    },
  };
}

function* groupRecords(records: readonly PackedRecord[]): Generator<PackedRecord[]> {
  let group: PackedRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    if (group.length > 0 && bytes + record.size_bytes > maxMoveBytes) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(record);
    bytes += record.size_bytes;
  }
  if (group.length > 0) yield group;
}
