import { inputProblems } from '../../../kernel/sentences/index.ts';
import type { BlobBytes } from '../../../storage/blobs/blob-store.ts';
import type { InputFile } from '../job.ts';
import type { ColumnCuts, ShardSizes, TableCuts, Unreadable } from './plan.ts';
import type { RowFormat } from '../../../tables/table-layout.ts';
import { fieldsOf } from '../../orders/row-texts.ts';
import { shardLimits, type Recipe } from '../../orders/shard.ts';
import type { ThreadPool } from '../pools/thread-pool.ts';
import { WorkerLost } from '../pools/worker-lost.ts';
import type { PoolTasks, WorkerPool } from './worker-pool.ts';

type StoredScan = PoolTasks['scan']['job'];

export type TableCutterDeps = {
  scan: (job: StoredScan, signal: AbortSignal) => Promise<TableCuts>;
  plan: Pick<ShardSizes, 'shardBytes'>;
};

/** Creates a function that scans a large table in a worker before it is cut. */
export function createTableCutter(
  { scan, plan }: TableCutterDeps,
  {
    recipe,
    signal,
  }: { recipe: Pick<Recipe, 'textField' | 'textFields' | 'mayLackText' | 'encoding'>; signal: AbortSignal },
): (file: InputFile, format: RowFormat) => Promise<TableCuts> {
  return async ({ blobId, path, sizeBytes }, format) => {
    if (blobId === null) return { problem: inputProblems.NO_CONTENT.reason({}), isDamaged: false };
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
      if (error instanceof WorkerLost) return lostTable(error);
      if (isMissing(error)) return { problem: inputProblems.CONTENT_ERASED.reason({}), isDamaged: true };
      throw error;
    }
  };
}

/** A table that crashes the worker counts as unreadable. */
export function lostTable({ reason: why }: WorkerLost): Unreadable {
  return { problem: inputProblems.TABLE_UNREADABLE.reason({ why }), isDamaged: false };
}

/** Inspects a columnar table in a worker. */
export async function cutColumn(
  pool: WorkerPool,
  job: PoolTasks['cut']['job'],
  signal: AbortSignal,
): Promise<ColumnCuts> {
  try {
    return await pool.run('cut', job, signal);
  } catch (error) {
    if (error instanceof WorkerLost) return lostTable(error);
    throw error;
  }
}

/** Scans stored tables in threads of this process. */
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
