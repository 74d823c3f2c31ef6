import { blobPaths, type BlobFolders, type BlobPaths } from '../files/blob-folders.ts';
import { createBufferPool } from '../files/buffer-pool.ts';
import type { DiskHealth } from '../files/disk-health.ts';
import { chooseLane } from '../files/writable-file.ts';
import { createHasher, type Hasher } from '../hashing/hasher.ts';
import { createLateDigests } from '../hashing/late-digests.ts';
import { createFlushGroups } from '../packs/flush-groups.ts';
import { createPackWriter } from '../packs/pack-writer.ts';
import { createObjectHolds, createStagedBlobs } from '../staged-blobs.ts';
import type { WriterParts } from '../store-parts.ts';
import { createMemoryBudget, type MemoryBudget } from './memory-budget.ts';
import { openObjectFile } from './object-file.ts';
import { createObjectOperations } from './object-operations.ts';
import type { ObjectStore } from './object-store.ts';

const mebibyte = 1024 * 1024;

export type ObjectWriterOptions = {
  store: ObjectStore;
  /** Maximum bytes of a pack, which is one object. */
  packMaxBytes?: number | undefined;
  packThresholdBytes?: number | undefined;
  /** Maximum upload bytes held in memory. */
  memoryBytes?: number | undefined;
  /** Staged bytes older than this can't be adopted: another process may have erased them as leftovers. */
  stagedMaxAgeMs?: number | undefined;
  createHasher?: ((memory: SharedArrayBuffer) => Hasher) | undefined;
  /** Called with the id of each new pack. */
  onPack?: (packId: string) => void;
};

export type ObjectWriterParts = WriterParts & { paths: BlobPaths; budget: MemoryBudget };

/** Creates the components that write blobs to an object store. */
export function createObjectWriterParts(options: ObjectWriterOptions): ObjectWriterParts {
  const { store, packMaxBytes = 16 * mebibyte, packThresholdBytes = mebibyte } = options;
  const { memoryBytes = 192 * mebibyte, stagedMaxAgeMs = 12 * 3_600_000, onPack = () => {} } = options;
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
  const holds = createObjectHolds();
  const staged = createStagedBlobs(holds, stagedMaxAgeMs);
  const packs = createPackWriter({
    operations,
    folders,
    staged,
    holds: { ...holds, hold: (id) => (onPack(id), holds.hold(id)) },
    maxBytes: packMaxBytes,
    resume: undefined,
    isPackPerGroup: true,
  });
  const health: DiskHealth = { trusted: true, ready: async () => {}, watch: (watched) => watched };
  return {
    operations,
    folders,
    paths,
    pool,
    budget,
    lane: chooseLane('buffered'),
    openFile: async (path) => openObjectFile({ store, path, budget }),
    hasher: (options.createHasher ?? createHasher)(pool.memory),
    lateDigests: createLateDigests(),
    holds,
    staged,
    packs,
    flushes: createFlushGroups({ operations, packs, staged, health, isEager: true }),
    health,
    packThresholdBytes,
  };
}
