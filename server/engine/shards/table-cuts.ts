import type { BlobPath, BlobStore } from '../../storage/blobs/blob-store.ts';
import type { InputFile } from '../job.ts';
import type { ShardSizes, TableCuts } from './plan.ts';
import type { RowFormat } from '../../tables/table-layout.ts';
import { fieldsOf } from '../samples/row-texts.ts';
import { shardLimits, type Recipe } from './shard.ts';
import { WorkerLost, type WorkerPool } from '../workers/worker-pool.ts';

export type TableCutterDeps = { blobs: BlobStore; pool: WorkerPool; plan: ShardSizes };

/** Scans a large table in a worker before it is cut. A table that crashes the worker counts as unreadable. */
export function createTableCutter(
  { blobs, pool, plan }: TableCutterDeps,
  {
    recipe,
    signal,
  }: { recipe: Pick<Recipe, 'textField' | 'textFields' | 'mayLackText' | 'encoding'>; signal: AbortSignal },
): (file: InputFile, format: RowFormat) => Promise<TableCuts> {
  return async ({ blobId, path, sizeBytes }, format) => {
    if (blobId === null) return { problem: 'The file has no content', isDamaged: false };
    let place: BlobPath | undefined;
    try {
      place = await blobs.localPath(blobId);
      const { maxRowBytes } = shardLimits;
      const { crc32 } = place;
      const job = {
        path,
        sizeBytes,
        crc32,
        format,
        field: fieldsOf(recipe, path)?.[0] ?? null,
        mayLackText: recipe.mayLackText,
        encoding: recipe.encoding ?? null,
        stepBytes: plan.shardBytes,
        maxRowBytes,
      };
      return await pool.run('scan', { ...job, place: { path: place.path, offset: place.offset } }, signal);
    } catch (error) {
      if (error instanceof WorkerLost)
        return { problem: `The table can't be read: ${error.message}`, isDamaged: false };
      if (isMissing(error)) return { problem: 'The content of the file was erased', isDamaged: true };
      throw error;
    } finally {
      await place?.release();
    }
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'BLOB_MISSING';
}
