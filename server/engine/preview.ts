import type { BlobPath, BlobStore } from '../storage/blobs/blob-store.ts';
import type { InputFile } from './job.ts';
import { planShards, type PlanOptions } from './plan.ts';
import type { PreviewJob, PreviewSample } from './preview-work.ts';
import { RunFailure } from './run-errors.ts';
import { shardLimits, type Piece, type Poison, type Treatment } from './shard.ts';
import { placePiece } from './shard-runner.ts';
import { WorkerLost, type WorkerPool } from './worker-pool.ts';

/** What is to be tried out. */
export type PreviewRequest = Treatment & {
  /** In path order; no more of it is read than the samples need. */
  inputs: AsyncIterable<readonly InputFile[]>;
  /** The first so many samples are shown. */
  limit: number;
  /** Of a longer text this much is shown, in UTF-16 units; at most and by default `maxPreviewText`. */
  maxTextLength?: number;
};

export type PreviewDeps = { blobs: BlobStore; pool: WorkerPool; timeoutMs: number };

/** Of a longer text a preview shows this much, in UTF-16 units. */
export const maxPreviewText = 20_000;

/** Pieces small enough that a preview of a big file reads little more than it shows. */
const plan: PlanOptions = { shardBytes: 1 << 20, shardFiles: 100 };

/** A sample that takes the worker down is failed; with more of them the preview itself is. */
const maxPoison = 5;

/** Runs the first samples through the steps in a thread of its own; writes nothing. Throws RunFailure or SetupError. */
export async function previewInput(deps: PreviewDeps, request: PreviewRequest): Promise<PreviewSample[]> {
  const { inputs, limit, maxTextLength = maxPreviewText, ...treatment } = request;
  const pieces: Piece[] = [];
  for await (const shard of planShards(inputs, plan)) {
    pieces.push(...shard.pieces);
    if (pieces.length >= limit) break;
  }
  return previewPieces(deps, { treatment, pieces, firstRow: 0, skip: 0, limit, maxTextLength, decided: 'compare' });
}

type Pieces = Pick<PreviewJob, 'treatment' | 'firstRow' | 'skip' | 'limit' | 'maxTextLength' | 'decided'> & {
  pieces: readonly Piece[];
};

/** The same for samples of known pieces. */
export async function previewPieces(deps: PreviewDeps, { pieces, ...rest }: Pieces): Promise<PreviewSample[]> {
  const signal = AbortSignal.timeout(deps.timeoutMs);
  const paths: BlobPath[] = [];
  try {
    const placed = [];
    for (const piece of pieces) placed.push(await placePiece(deps.blobs, piece, paths));
    const job = { ...rest, pieces: placed, limits: shardLimits, verdicts: [] };
    return await runPreview(deps.pool, job, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new RunFailure(`The preview did not finish within ${deps.timeoutMs / 1000} s; try fewer samples or steps`);
  } finally {
    for (const path of paths) await path.release();
  }
}

async function runPreview(
  pool: WorkerPool,
  job: Omit<PreviewJob, 'poison'>,
  signal: AbortSignal,
): Promise<PreviewSample[]> {
  const poison: Poison[] = [];
  for (;;) {
    try {
      const { samples } = await pool.run('preview', { ...job, poison }, signal);
      return samples;
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      const operatorId = job.treatment.steps[error.step]?.operatorId;
      const reason = `${operatorId ?? 'reading the sample'}: ${error.message}`;
      if (error.ordinal < 0 || poison.length === maxPoison) throw new RunFailure(`The preview failed: ${reason}`);
      poison.push({ ordinal: error.ordinal, step: error.step < 0 ? null : error.step, reason });
    }
  }
}
