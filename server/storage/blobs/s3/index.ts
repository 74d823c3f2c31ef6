import type { BlobStoreOptions } from '../blob-store-options.ts';
import type { BlobStore } from '../blob-store.ts';
import { createBlobStreams } from '../blob-stream.ts';
import { createBlobWriter, writeWholeBlob, type GatherBudget } from '../blob-writer.ts';
import { createRangeComparison } from '../assemblies/range-comparison.ts';
import { blobPaths, type BlobFolders } from '../files/blob-folders.ts';
import { createBufferPool } from '../files/buffer-pool.ts';
import type { DiskHealth } from '../files/disk-health.ts';
import { createEraser } from '../files/eraser.ts';
import { createOpenFiles } from '../files/open-files.ts';
import { chooseLane } from '../files/writable-file.ts';
import { boundlessSpace } from '../files/write-refusal.ts';
import { createContentHashing } from '../hashing/content-hashing.ts';
import { createHasher } from '../hashing/hasher.ts';
import { createLateDigests } from '../hashing/late-digests.ts';
import { createFlushGroups } from '../packs/flush-groups.ts';
import { createPackCompaction } from '../packs/pack-compaction.ts';
import { createPackWriter } from '../packs/pack-writer.ts';
import { createReferences } from '../references.ts';
import { createObjectHolds, createStagedBlobs } from '../staged-blobs.ts';
import type { StoreParts } from '../store-parts.ts';
import { createSweep } from '../sweep.ts';
import { measureUsage } from '../usage.ts';
import { createMemoryBudget } from './memory-budget.ts';
import { createObjectAssemblies } from './object-assemblies.ts';
import type { ObjectParts } from './object-assembly-state.ts';
import { openObjectFile } from './object-file.ts';
import { createObjectHashing } from './object-hashing.ts';
import { createObjectLeftovers } from './object-leftovers.ts';
import { createObjectOperations } from './object-operations.ts';
import { createObjectReads } from './object-reads.ts';
import type { ObjectStore } from './object-store.ts';
import { createScratchCopies } from './scratch-copies.ts';
import { claimObjectStore } from './store-identity.ts';

export { createS3ObjectStore, type S3Settings } from './s3-object-store.ts';
export { markerKey } from './store-identity.ts';
export { openObjects } from './stored-objects.ts';
export type { ObjectStore } from './object-store.ts';

const mebibyte = 1024 * 1024;
const hour = 3_600_000;

export type ObjectBlobStoreOptions = Pick<
  BlobStoreOptions,
  'db' | 'logger' | 'packThresholdBytes' | 'sweepDelayMs' | 'sweepIntervalMs' | 'isPinned' | 'space' | 'createHasher'
> & {
  store: ObjectStore;
  /** Where the objects are, for messages and as what the database remembers. */
  url: string;
  /** Folder for copies of what readers need a path of, owned by the store; and how many bytes they may take. */
  scratchDirectory: string;
  scratchMaxBytes: number;
  /** A pack is an object of at most so many bytes. */
  packMaxBytes?: number;
  /** Bytes of uploads that may wait in memory. */
  memoryBytes?: number;
  /** Age from which objects that no row knows are erased. */
  leftoverAgeMs?: number;
  /** Age from which a pack that another process may have written is rewritten. */
  packAgeMs?: number;
  /** Bytes that wait longer for their adoption are refused: another process may have taken them for leftovers. */
  stagedMaxAgeMs?: number;
  leftoversEveryMs?: number;
};

/** Opens the store over objects; any number of processes may, over the same database. */
export async function openObjectBlobStore(options: ObjectBlobStoreOptions): Promise<BlobStore> {
  const {
    db,
    store,
    url,
    logger = { warn() {} },
    packMaxBytes = 16 * mebibyte,
    packThresholdBytes = mebibyte,
    memoryBytes = 192 * mebibyte,
    sweepDelayMs = 1000,
    sweepIntervalMs = 30_000,
    leftoverAgeMs = 24 * hour,
    packAgeMs = 24 * hour,
    stagedMaxAgeMs = 12 * hour,
    leftoversEveryMs = 6 * hour,
    isPinned = () => false,
    space = boundlessSpace,
  } = options;
  await claimObjectStore(db, store, url);
  const scratch = await createScratchCopies({
    directory: options.scratchDirectory,
    maxBytes: options.scratchMaxBytes,
    space,
  });

  const operations = createObjectOperations(store);
  const paths = blobPaths('');
  const folders: BlobFolders = {
    ...paths,
    ensureFolderOf: async () => paths.files,
    async *listFiles() {
      for await (const page of store.list(`${paths.files}/`))
        yield page.map(({ key }) => key.slice(key.lastIndexOf('/') + 1));
    },
  };
  const pool = createBufferPool();
  const budget = createMemoryBudget(memoryBytes);
  const hasher = (options.createHasher ?? createHasher)(pool.memory);
  const lateDigests = createLateDigests();
  const holds = createObjectHolds();
  const staged = createStagedBlobs(holds, stagedMaxAgeMs);
  const ownPacks = new Set<string>();
  const packs = createPackWriter({
    operations,
    folders,
    staged,
    holds: { ...holds, hold: (id) => (ownPacks.add(id), holds.hold(id)) },
    maxBytes: packMaxBytes,
    resume: undefined,
    isPackPerGroup: true,
  });
  const health: DiskHealth = { trusted: true, ready: async () => {}, watch: (watched) => watched };
  const flushes = createFlushGroups({ operations, packs, staged, health, isEager: true });
  const parts: StoreParts = {
    db,
    operations,
    folders,
    pool,
    lane: chooseLane('buffered'),
    openFile: async (path) => openObjectFile({ store, path, budget }),
    hasher,
    lateDigests,
    holds,
    staged,
    packs,
    flushes,
    health,
    packThresholdBytes,
  };

  const openFiles = createOpenFiles(operations);
  const reads = createObjectReads({ db: db.read, store, operations, paths, openFiles, holds, scratch });
  const streams = createBlobStreams({
    db: db.read,
    operations,
    openFiles,
    reads,
    // A call costs milliseconds.
    loads: { pieceBytes: 4 * mebibyte, smallPieceBytes: mebibyte },
  });
  const eraser = createEraser({ db: db.read, operations, folders, openFiles, holds, isPinned, logger });
  const hashStored = createObjectHashing({ store, pool, hasher, pathOf: reads.pathOf });
  const hashing = createContentHashing({ db, hasher, lateDigests, hashStored, eraser, holds, logger });
  const compaction = createPackCompaction({
    db,
    operations,
    folders,
    openFiles,
    packs,
    flushes,
    staged,
    eraser,
    space: boundlessSpace,
    logger,
    // Only over PostgreSQL there are other processes.
    mayCompact: (packId) =>
      !holds.isHeld(packId) && (db.dialect === 'sqlite' || ownPacks.has(packId) || ageOf(packId) >= packAgeMs),
  });
  const touchPack = (packId: string): void => compaction.touch(packId);
  const findLeftovers = createObjectLeftovers({
    db,
    store,
    paths,
    holds,
    eraser,
    touchPack,
    logger,
    ageMs: leftoverAgeMs,
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
    findLeftovers,
    leftoversEveryMs,
    onDeleted: scratch.forget,
  });
  const references = createReferences({
    folderNo: undefined,
    staged,
    lateDigests,
    eraser,
    hashLater: (ids) => hashing.add(ids),
    sweepSoon: () => sweep.soon(),
  });
  const objectParts: ObjectParts = { ...parts, store, budget, eraser, logger };
  const assemblies = createObjectAssemblies(objectParts, (packId) => {
    compaction.touch(packId);
    sweep.soon();
  });

  async function measurePacks(): Promise<number> {
    let bytes = 0;
    for await (const page of store.list(`${paths.packs}/`)) for (const { sizeBytes } of page) bytes += sizeBytes;
    return bytes;
  }

  const gathering: GatherBudget = { usedBytes: 0, maxBytes: 64 * mebibyte };
  sweep.start();
  hashing.start();

  return {
    create: (of) => createBlobWriter(parts, gathering, of),
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
    usage: () => measureUsage({ db, measurePacks }),
    sweep: () => sweep.run(),
    async close() {
      await sweep.close();
      await hashing.close();
      await assemblies.close();
      await flushes.close();
      await openFiles.close();
      await scratch.close();
      store.close();
    },
  };
}

/** Ids begin with the time at which they were made. */
function ageOf(id: string): number {
  return Date.now() - Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}
