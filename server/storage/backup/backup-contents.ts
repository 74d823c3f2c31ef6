import { mkdir, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import {
  besideName,
  blobPaths,
  findPointedObjects,
  listBlobs,
  measureBlobs,
  verifyBlobs,
  type BlobPaths,
} from '../blobs/index.ts';
import type { Database } from '../database/database.ts';
import {
  BackupError,
  hashFile,
  unfinishedUploads,
  type BackupFolder,
  type BackupList,
  type FileSum,
  type Manifest,
} from './backup-folder.ts';
import { copyRange, createCopier, isSameBefore, sizeOf } from './object-copy.ts';
import { repairPack, withSnapshot } from './pack-repair.ts';
import { listChunksBeside, listSealedFiles, listUnsealedAssemblies } from './queries/assemblies.ts';
import { listPackEnds } from './queries/packs.ts';

const rowsPerPage = 1000;

export type ContentsOptions = {
  /** Folder of the blob store. */
  blobDirectory: string;
  /** Also reads back and checks what earlier backups copied. */
  checkAll?: boolean;
  onProgress?: (done: { blobs: number; bytes: number }) => void;
};

/** Copies the bytes that the snapshot refers to and that earlier backups lack, and reads them back. */
export async function copyContents(
  options: ContentsOptions,
  folder: BackupFolder,
  snapshot: Database,
  { path, earlier }: { path: string; earlier: BackupList },
): Promise<{ contents: Pick<Manifest, 'packs' | 'blobs' | 'copied' | 'damaged' | 'unfinished'>; repaired: string[] }> {
  const { onProgress, checkAll = false } = options;
  const live = blobPaths(options.blobDirectory);
  const kept = blobPaths(folder.blobs);
  const copier = createCopier();
  const done = { blobs: 0, bytes: 0 };
  const copied = { count: 0, sizeBytes: 0 };
  for (const directory of [kept.packs, kept.files]) await mkdir(directory, { recursive: true, mode: 0o700 });

  const held = await findHeldBytes(earlier);
  const repaired = new Set<string>();
  const repair = async (packId: string): Promise<void> => {
    const places = { packId, source: live.packPath(packId), copy: kept.packPath(packId) };
    const heldBytes = held.get(packId) ?? 0;
    const users = [...earlier.backups, ...earlier.unreadable];
    for (const id of await repairPack({ ...places, heldBytes, snapshot, earlier: users })) repaired.add(id);
  };
  const packs: Record<string, number> = {};
  for (const { pack_id: id, end_bytes: toBytes } of await listPackEnds(snapshot.scan)) {
    const fromBytes = held.get(id) ?? 0;
    const [source, copy] = [live.packPath(id), kept.packPath(id)];
    if (!(await isSameBefore(source, copy, Math.min(fromBytes, toBytes)))) await repair(id);
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
        else await repair(objectId);
        repaired.add(blobId);
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
  return { contents: { packs, blobs: { count, sizeBytes }, copied, damaged, unfinished }, repaired: [...repaired] };
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
