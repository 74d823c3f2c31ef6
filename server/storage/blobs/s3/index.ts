import type { BlobStoreOptions } from '../blob-store-options.ts';
import { storedRows } from '../blob-rows.ts';
import type { BlobStore, SharedBlobs } from '../blob-store.ts';
import { createBlobStreams } from '../blob-stream.ts';
import { createBlobWriter, writeWholeBlob, type GatherBudget } from '../blob-writer.ts';
import { createRangeComparison } from '../assemblies/range-comparison.ts';
import { createEraser } from '../files/eraser.ts';
import { createOpenFiles } from '../files/open-files.ts';
import { boundlessSpace } from '../files/write-refusal.ts';
import { createContentHashing } from '../hashing/content-hashing.ts';
import { createPackCompaction } from '../packs/pack-compaction.ts';
import { createReferences } from '../references.ts';
import type { StoreParts } from '../store-parts.ts';
import { createSweep } from '../sweep.ts';
import { measureUsage } from '../usage.ts';
import { createObjectAssemblies } from './object-assemblies.ts';
import type { ObjectParts } from './object-assembly-state.ts';
import { createObjectHashing } from './object-hashing.ts';
import { createObjectLeftovers } from './object-leftovers.ts';
import { createObjectReads } from './object-reads.ts';
import { objectLoads } from './object-window.ts';
import { createScratchCopies } from './scratch-copies.ts';
import { claimObjectStore } from './store-identity.ts';
import { createObjectWriterParts, type ObjectWriterOptions } from './writer-parts.ts';

export { createObjectMover, type ObjectMover } from './object-mover.ts';
export type { S3Settings } from './s3-bucket.ts';
export { createS3ObjectStore } from './s3-object-store.ts';
export { markerKey } from './store-identity.ts';
export { openWorkerBlobs, type WorkerBlobs } from './worker-blobs.ts';
export { openObjects } from './stored-objects.ts';
export type { ObjectStore } from './object-store.ts';

const mebibyte = 1024 * 1024;
const hour = 3_600_000;

export type ObjectBlobStoreOptions = Pick<
  BlobStoreOptions,
  'db' | 'logger' | 'sweeps' | 'sweepDelayMs' | 'sweepIntervalMs' | 'isPinned' | 'space'
> &
  Omit<ObjectWriterOptions, 'onPack'> & {
    /** Location of the objects, for messages and for the record in the database. */
    url: string;
    /** Folder, owned by the store, for local copies for readers that need a path, and the maximum bytes of the copies. */
    scratchDirectory: string;
    scratchMaxBytes: number;
    /** Age from which objects without a row are erased. */
    leftoverAgeMs?: number;
    /** Age from which a pack that another process may have written is rewritten. */
    packAgeMs?: number;
    leftoversEveryMs?: number;
  };

/** Opens the blob store over an object store; any number of processes may share one database. */
export async function openObjectBlobStore(
  options: ObjectBlobStoreOptions,
): Promise<BlobStore & { shared: SharedBlobs }> {
  const {
    db,
    store,
    url,
    logger = { warn() {} },
    sweeps = true,
    sweepDelayMs = 1000,
    sweepIntervalMs = 30_000,
    leftoverAgeMs = 24 * hour,
    packAgeMs = 24 * hour,
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

  const ownPacks = new Set<string>();
  const { paths, budget, ...writerParts } = createObjectWriterParts({ ...options, onPack: (id) => ownPacks.add(id) });
  const { operations, folders, pool, hasher, lateDigests, holds, staged, packs, flushes } = writerParts;
  const parts: StoreParts = { ...writerParts, db };

  const rows = storedRows(db.read);
  const openFiles = createOpenFiles(operations);
  const reads = createObjectReads({ rows, store, operations, paths, openFiles, holds, scratch });
  const streams = createBlobStreams({
    rows,
    operations,
    openFiles,
    reads,
    loads: objectLoads,
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
    // Other processes exist only with PostgreSQL.
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
    onDeleted(ids) {
      scratch.forget(ids);
      assemblies.forget(ids);
    },
  });
  const sweepSoon = (): void => {
    if (sweeps) sweep.soon();
  };
  const references = createReferences({
    folderNo: undefined,
    staged,
    lateDigests,
    eraser,
    hashLater: (ids) => hashing.add(ids),
    sweepSoon,
  });
  const objectParts: ObjectParts = { ...parts, store, budget, eraser, logger };
  const assemblies = createObjectAssemblies(objectParts, (packId) => {
    compaction.touch(packId);
    sweepSoon();
  });

  async function measurePacks(): Promise<number> {
    let bytes = 0;
    for await (const page of store.list(`${paths.packs}/`)) for (const { sizeBytes } of page) bytes += sizeBytes;
    return bytes;
  }

  const gathering: GatherBudget = { usedBytes: 0, maxBytes: 64 * mebibyte };
  if (sweeps) sweep.start();
  hashing.start();

  return {
    shared: {
      locate: rows.findAll,
      receive(blobs, since) {
        for (const { id, place } of blobs) staged.add(id, place.kind === 'empty' ? '' : place.objectId, true, since);
      },
    },
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

/** Milliseconds since an id was generated: UUIDv7 begins with the time. */
function ageOf(id: string): number {
  return Date.now() - Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}
