import type { BlobPath, BlobStore } from '../storage/blobs/blob-store.ts';
import { RunFailure } from './run-errors.ts';
import { shardLimits, type Piece, type PlacedPiece, type Poison, type ShardResult, type Treatment } from './shard.ts';
import { WorkerLost, type WorkerPool } from './worker-pool.ts';

/** More samples than this that take a worker down are no accident of the data. */
const maxPoison = 10;

export type ShardRun = {
  treatment: Treatment;
  pieces: readonly Piece[];
  signal: AbortSignal;
  /** Hears of each worker that was lost. */
  onLost: (message: string) => Promise<void>;
};

/**
 * Has a shard worked on until there is a result. A worker that dies or hangs is given the shard once more; when the same
 * sample takes it down again, that sample is failed with the cause and the rest of the shard goes on.
 */
export async function runShard(
  { blobs, pool }: { blobs: BlobStore; pool: WorkerPool },
  { treatment, pieces, signal, onLost }: ShardRun,
): Promise<ShardResult> {
  const paths: BlobPath[] = [];
  try {
    const placed: PlacedPiece[] = [];
    for (const piece of pieces) placed.push(await placePiece(blobs, piece, paths));
    const poison: Poison[] = [];
    let suspect: number | undefined;
    for (;;) {
      try {
        return await pool.run(
          'process',
          { treatment, pieces: placed, poison, limits: shardLimits, verdicts: [] },
          signal,
        );
      } catch (error) {
        if (!(error instanceof WorkerLost)) throw error;
        const operatorId = treatment.steps[error.step]?.operatorId ?? null;
        const cause = `${operatorId ?? 'reading the sample'}: ${error.message}`;
        await onLost(`A worker was lost at sample ${error.ordinal} of its shard: ${cause}`);
        const isSame = suspect === error.ordinal;
        suspect = error.ordinal;
        if (!isSame) continue;
        if (error.ordinal < 0 || poison.length === maxPoison) {
          throw new RunFailure(`Workers were lost again and again over ${describe(pieces)}: ${cause}`, {
            cause: error,
          });
        }
        poison.push({ ordinal: error.ordinal, step: error.step < 0 ? null : error.step, reason: cause });
      }
    }
  } finally {
    for (const path of paths) await path.release();
  }
}

/** A piece with the place of its bytes, which `paths` hold until they are released. */
export async function placePiece(blobs: BlobStore, piece: Piece, paths: BlobPath[]): Promise<PlacedPiece> {
  if (piece.blobId === null || piece.problem !== undefined) return { ...piece, place: null };
  try {
    const path = await blobs.localPath(piece.blobId);
    paths.push(path);
    return { ...piece, place: { path: path.path, offset: path.offset } };
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'BLOB_MISSING';
    if (!isMissing || piece.range !== undefined) throw error;
    return { ...piece, blobId: null, place: null, problem: 'The content of the file was erased' };
  }
}

function describe(pieces: readonly Piece[]): string {
  const [first, ...others] = pieces;
  return `${first?.path ?? 'nothing'}${others.length === 0 ? '' : ` and ${others.length} more files`}`;
}
