import type { BlobBytes } from '../../storage/blobs/blob-store.ts';
import type { InputFile } from '../job.ts';
import type { ShardSizes, TableCuts } from './plan.ts';
import type { RowFormat } from '../../tables/table-layout.ts';
import { fieldsOf } from '../samples/row-texts.ts';
import { shardLimits, type Recipe } from './shard.ts';
import type { ThreadPool } from '../workers/thread-pool.ts';
import { WorkerLost } from '../workers/worker-lost.ts';
import type { PoolTasks } from '../workers/worker-pool.ts';

type StoredScan = PoolTasks['scan']['job'];

export type TableCutterDeps = {
  scan: (job: StoredScan, signal: AbortSignal) => Promise<TableCuts>;
  plan: Pick<ShardSizes, 'shardBytes'>;
};

/** Has a large table scanned by a worker before it is cut. A table that crashes the worker counts as unreadable. */
export function createTableCutter(
  { scan, plan }: TableCutterDeps,
  {
    recipe,
    signal,
  }: { recipe: Pick<Recipe, 'textField' | 'textFields' | 'mayLackText' | 'encoding'>; signal: AbortSignal },
): (file: InputFile, format: RowFormat) => Promise<TableCuts> {
  return async ({ blobId, path, sizeBytes }, format) => {
    if (blobId === null) return { problem: 'The file has no content', isDamaged: false };
    try {
      const { maxRowBytes } = shardLimits;
      const job = {
        blobId,
        path,
        sizeBytes,
        format,
        field: fieldsOf(recipe, path)?.[0] ?? null,
        mayLackText: recipe.mayLackText,
        encoding: recipe.encoding ?? null,
        stepBytes: plan.shardBytes,
        maxRowBytes,
      };
      return await scan(job, signal);
    } catch (error) {
      if (error instanceof WorkerLost)
        return { problem: `The table can't be read: ${error.message}`, isDamaged: false };
      if (isMissing(error)) return { problem: 'The content of the file was erased', isDamaged: true };
      throw error;
    }
  };
}

/** Scans stored tables by threads of this process. */
export function scannerOf({ pool, blobs }: { pool: ThreadPool; blobs: BlobBytes }): TableCutterDeps['scan'] {
  return async ({ blobId, ...job }, signal) => {
    const place = await blobs.localPath(blobId);
    try {
      const { path, offset, crc32 } = place;
      return await pool.run('scan', { ...job, crc32, place: { path, offset } }, signal);
    } finally {
      await place.release();
    }
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'BLOB_MISSING';
}
