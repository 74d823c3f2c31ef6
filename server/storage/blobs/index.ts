import { readFile } from 'node:fs/promises';
import { createAssemblies, type Assemblies } from './assemblies/assemblies.ts';
import { createAssemblyFiles } from './assemblies/assembly-files.ts';
import { openBlobFolders, type BlobFolders } from './files/blob-folders.ts';
import { createBlobReads } from './blob-reader.ts';
import type { BlobStoreOptions } from './blob-store-options.ts';
import type { BlobStore } from './blob-store.ts';
import { storedRows } from './blob-rows.ts';
import { createBlobStreams } from './blob-stream.ts';
import { createBlobWriter, writeWholeBlob, type GatherBudget } from './blob-writer.ts';
import { createBufferPool } from './files/buffer-pool.ts';
import { createAssemblyJournal } from './assemblies/assembly-journal.ts';
import { createContentHashing } from './hashing/content-hashing.ts';
import { createDiskHealth } from './files/disk-health.ts';
import { createEraser } from './files/eraser.ts';
import { fileOperations, isMissingFile, type FileOperations } from './files/file-operations.ts';
import { createFlushGroups } from './packs/flush-groups.ts';
import { createHasher } from './hashing/hasher.ts';
import { createMissingBytes, recordDataFolder } from './missing-bytes.ts';
import { createLateDigests } from './hashing/late-digests.ts';
import { createOpenFiles } from './files/open-files.ts';
import { createPackCompaction } from './packs/pack-compaction.ts';
import { createPackWriter } from './packs/pack-writer.ts';
import { createReferences } from './references.ts';
import { createRangeComparison } from './assemblies/range-comparison.ts';
import { createObjectHolds, createStagedBlobs } from './staged-blobs.ts';
import type { StoreParts } from './store-parts.ts';
import { createSweep } from './sweep.ts';
import { measurePackFiles, measureUsage } from './usage.ts';
import { chooseLane, openWritableFile } from './files/writable-file.ts';
import { boundlessSpace, refuseWrites } from './files/write-refusal.ts';

export type { BlobStoreOptions } from './blob-store-options.ts';
export type * from './blob-store.ts';
export type { BlobRow } from './queries/blobs.ts';
export type { WorkerBlobs } from './s3/worker-blobs.ts';
export { verifyBlobs, type BlobProblem } from './verification/blob-verification.ts';
export { verifyChunks, type ChunkProblem } from './verification/chunk-verification.ts';
export { findDataFolderNo, insertDataFolder, listDataFolders } from './queries/data-folders.ts';
export { findObjectStore, insertObjectStore } from './queries/object-stores.ts';
export { measureBlobs } from './queries/verification.ts';
export type { Elsewhere } from './verification/other-folders.ts';
export type { StoredObjects } from './verification/stored-objects.ts';
export { refuseObjectStore, StorageMismatchError } from './s3/store-identity.ts';
export { isStorageAway, translateStorageError } from './errors.ts';
export { sumFilesToErase } from './queries/holders.ts';
export { listUnheld, type Unheld } from './verification/unheld.ts';
export { listLeftovers, type Leftover } from './verification/leftovers.ts';
export { besideName } from './beside-names.ts';
export { blobPaths, type BlobPaths } from './files/blob-folders.ts';
export { fileOperations, isMissingFile } from './files/file-operations.ts';
export { createRangeCheck } from './verification/range-check.ts';
export { checkRecord, headerOf } from './verification/record-check.ts';
export { findPointedObjects, listBlobs, listPackedRecords, type PackedRecord } from './queries/blobs.ts';

const mebibyte = 1024 * 1024;

/** Opens or creates the store in its own folder; the tables of `db` describe its content. */
export async function openBlobStore(options: BlobStoreOptions): Promise<BlobStore> {
  const {
    directory,
    db,
    logger = { warn() {} },
    packMaxBytes = 256 * mebibyte,
    packThresholdBytes = mebibyte,
    lane: wantedLane = 'auto',
    sweepDelayMs = 1000,
    sweepIntervalMs = 30_000,
    operations: calls = fileOperations,
    space = boundlessSpace,
    isPinned = () => false,
  } = options;
  const unwatched = refuseWrites(calls, space);
  const bootId = (options.bootId === undefined ? await readBootId() : options.bootId) ?? '';
  const health = createDiskHealth({
    operations: unwatched,
    folder: directory,
    onFailure(error) {
      packs.abandonCurrent();
      staged.markAllLost(error);
    },
  });
  const operations = health.watch(unwatched);
  const folders = await openBlobFolders(operations, directory);
  const pool = createBufferPool();
  const lane = chooseLane(wantedLane);
  const hasher = (options.createHasher ?? createHasher)(pool.memory);
  const lateDigests = createLateDigests();
  const holds = createObjectHolds();
  const staged = createStagedBlobs(holds);
  const resume = await findResumablePack(operations, folders, packMaxBytes);
  const packs = createPackWriter({ operations, folders, staged, holds, maxBytes: packMaxBytes, resume });
  const flushes = createFlushGroups({ operations, packs, staged, health });
  const parts: StoreParts = {
    db,
    operations,
    folders,
    pool,
    lane,
    openFile: (path) => openWritableFile({ operations, path, lane }),
    hasher,
    lateDigests,
    holds,
    staged,
    packs,
    flushes,
    health,
    packThresholdBytes,
  };

  const place = db.dialect === 'postgres' ? options.place : undefined;
  const folderNo = place === undefined ? undefined : await recordDataFolder(db.read, place);
  const missing = createMissingBytes(db.read, folderNo);
  const openFiles = createOpenFiles(operations);
  const reads = createBlobReads({ db: db.read, operations, folders, openFiles, holds, missing });
  const streams = createBlobStreams({ rows: storedRows(db.read), operations, openFiles, reads });
  const eraser = createEraser({ db: db.read, operations, folders, openFiles, holds, isPinned, logger });
  const hashing = createContentHashing({
    db,
    hasher,
    lateDigests,
    hashStored: (row) => hasher.hashFile(reads.pathOf(row), row.object_offset, row.size_bytes),
    eraser,
    holds,
    logger,
  });
  const compaction = createPackCompaction({
    db,
    operations,
    folders,
    openFiles,
    packs,
    flushes,
    staged,
    eraser,
    space,
    logger,
  });
  const sweep = createSweep({
    db,
    operations,
    folders,
    holds,
    eraser,
    compaction,
    logger,
    delayMs: sweepDelayMs,
    intervalMs: sweepIntervalMs,
    onDeleted: (ids) => assemblies.forget(ids),
  });
  const references = createReferences({
    folderNo,
    staged,
    lateDigests,
    eraser,
    hashLater: (ids) => hashing.add(ids),
    sweepSoon: () => sweep.soon(),
  });

  const files = createAssemblyFiles({
    operations,
    folders,
    lane,
    onFailedSync: (assemblyId) => assemblies.suspect(assemblyId),
  });
  let lastBesideNo = Date.now() * 1000;
  const assemblies: Assemblies = createAssemblies(
    {
      ...parts,
      journal: createAssemblyJournal(db),
      files,
      openFiles,
      reads,
      eraser,
      logger,
      bootId,
      folderNo,
      nextBesideNo: () => ++lastBesideNo,
    },
    (packId) => {
      compaction.touch(packId);
      sweep.soon();
    },
  );

  const budget: GatherBudget = { usedBytes: 0, maxBytes: 64 * mebibyte };
  sweep.start();
  hashing.start();

  return {
    shared: undefined,
    create: (options) => createBlobWriter(parts, budget, options),
    writeWhole: (bytes, crc32) => writeWholeBlob(parts, bytes, crc32),
    createAssembly: assemblies.createAssembly,
    findAssembly: assemblies.findAssembly,
    dropAssemblies: assemblies.dropAssemblies,
    compareWith: async (blobId, offset, sizeBytes) =>
      createRangeComparison(await reads.open(blobId), offset, sizeBytes),
    flush: () => flushes.flush(),
    ...references,
    wipe: sweep.wipe,
    find: reads.find,
    findAll: reads.findAll,
    open: reads.open,
    readAll: streams.readAll,
    localPath: reads.localPath,
    usage: () => measureUsage({ db, measurePacks: () => measurePackFiles(operations, folders) }),
    sweep: () => sweep.run(),
    async close() {
      await sweep.close();
      await hashing.close();
      await assemblies.close();
      await flushes.close();
      await openFiles.close();
    },
  };
}

/** The newest pack with room left, so that restarts don't leave many small packs. */
async function findResumablePack(
  operations: FileOperations,
  folders: BlobFolders,
  maxBytes: number,
): Promise<{ objectId: string; sizeBytes: number } | undefined> {
  const newest = (await operations.list(folders.packs)).sort().at(-1);
  if (newest === undefined) return undefined;
  const sizeBytes = await operations.sizeOf(folders.packPath(newest));
  return sizeBytes < maxBytes ? { objectId: newest, sizeBytes } : undefined;
}

/** Boot id of the machine, which changes with every boot; null on systems without one. */
async function readBootId(): Promise<string | null> {
  try {
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  } catch (error) {
    if (isMissingFile(error)) return null;
    throw error;
  }
}
