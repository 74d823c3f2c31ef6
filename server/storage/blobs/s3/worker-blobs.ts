import type { BlobBytes, StagedBlob } from '../blob-store.ts';
import { createBlobStreams } from '../blob-stream.ts';
import { createBlobWriter, type GatherBudget } from '../blob-writer.ts';
import { createOpenFiles } from '../files/open-files.ts';
import { boundlessSpace } from '../files/write-refusal.ts';
import type { BlobRow } from '../queries/blobs.ts';
import { createObjectReads } from './object-reads.ts';
import type { ObjectStore } from './object-store.ts';
import { objectLoads } from './object-window.ts';
import { createScratchCopies } from './scratch-copies.ts';
import { createObjectWriterParts } from './writer-parts.ts';

/**
 * Access to an object store for a process without a database: it reads blobs whose places it was sent, and stages new ones
 * for another process to adopt.
 */
export type WorkerBlobs = BlobBytes & {
  /** Replaces the known places. */
  know(rows: readonly BlobRow[]): void;
  /** The known blobs whose objects were missing. */
  missed(): string[];
  /** Makes staged blobs durable and adds their SHA-256, for adoption by another process; this one no longer holds them. */
  handOver(staged: readonly StagedBlob[]): Promise<void>;
  close(): Promise<void>;
};

export type WorkerBlobsOptions = {
  store: ObjectStore;
  /** Folder, owned by the store, for local copies for readers that need a path, and the maximum bytes of the copies. */
  scratchDirectory: string;
  scratchMaxBytes: number;
};

export async function openWorkerBlobs(options: WorkerBlobsOptions): Promise<WorkerBlobs> {
  const known = new Map<string, BlobRow>();
  const missing = new Set<string>();
  const store = noticing(options.store, (key) => missing.add(key));
  const rows = {
    find: async (blobId: string) => known.get(blobId),
    findAll: async (blobIds: readonly string[]) => blobIds.flatMap((id) => known.get(id) ?? []),
  };
  const scratch = await createScratchCopies({
    directory: options.scratchDirectory,
    maxBytes: options.scratchMaxBytes,
    space: boundlessSpace,
  });
  const parts = createObjectWriterParts({ store });
  const { operations, paths, holds, staged, lateDigests, flushes } = parts;
  const openFiles = createOpenFiles(operations);
  const reads = createObjectReads({ rows, store, operations, paths, openFiles, holds, scratch });
  const streams = createBlobStreams({ rows, operations, openFiles, reads, loads: objectLoads });
  const gathering: GatherBudget = { usedBytes: 0, maxBytes: 64 * 1024 * 1024 };

  return {
    create: (of) => createBlobWriter(parts, gathering, of),
    flush: () => flushes.flush(),
    async settle(blobs) {
      for (const { id, place } of blobs) {
        staged.forget(id);
        // What remains in packs or after a failed call is erased as a leftover.
        if (place.kind === 'file') await store.remove(paths.filePath(place.objectId)).catch(() => {});
      }
    },
    open: reads.open,
    readAll: streams.readAll,
    localPath: reads.localPath,
    know(blobRows) {
      known.clear();
      missing.clear();
      for (const row of blobRows) known.set(row.id, row);
    },
    missed: () => [...known.values()].filter((row) => missing.has(reads.pathOf(row))).map(({ id }) => id),
    async handOver(blobs) {
      await flushes.flush();
      for (const { id } of blobs) staged.check(id);
      for (const blob of blobs) {
        blob.sha256 ??= (await lateDigests.take(blob.id)) ?? null;
        staged.forget(blob.id);
      }
    },
    async close() {
      await flushes.close();
      await openFiles.close();
      await scratch.close();
      store.close();
    },
  };
}

/** Calls `missed` for each object that is read but missing. */
function noticing(store: ObjectStore, missed: (key: string) => void): ObjectStore {
  return {
    ...store,
    async find(key) {
      const found = await store.find(key);
      if (found === undefined) missed(key);
      return found;
    },
    async read(key, target, position) {
      try {
        return await store.read(key, target, position);
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') missed(key);
        throw error;
      }
    },
  };
}
