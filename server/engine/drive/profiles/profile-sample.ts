import { runSentences } from '../../../kernel/sentences/index.ts';
import { RunFailure } from '../../../runs/index.ts';
import { drawSamples, type DrawnSamples } from '../draws/draw.ts';
import type { InputFile } from '../job.ts';
import { shardLimits, type Poison, type Recipe } from '../../orders/shard.ts';
import { withPieces } from '../shards/piece-places.ts';
import { createPreviewFiles } from '../unpacking/preview-files.ts';
import type { Unpacker } from '../unpacking/unpacker.ts';
import type { ThreadPool } from '../pools/thread-pool.ts';
import { describeLoss, WorkerLost } from '../pools/worker-lost.ts';
import type { ProfileResult, ProfileJob } from '../../orders/profile-jobs.ts';
import type { DrawDeps } from '../draws/stratum.ts';

/** Samples that crash the worker fail; with more than this many, the profile fails. */
const maxPoison = 5;

export type ProfileSampleRequest = Recipe & {
  inputs: AsyncIterable<readonly InputFile[]>;
  size: number;
  seed: number;
};

export type ProfiledSample = ProfileResult & {
  drawn: Pick<DrawnSamples, 'from' | 'total' | 'isExact' | 'uncheckedFiles'>;
};

/** Measures samples drawn at random; writes nothing. Throws RunFailure or SetupError. */
export async function profileSample(
  deps: Omit<DrawDeps, 'files'> & { unpacker: Unpacker; timeoutMs: number },
  { inputs, size, seed, ...recipe }: ProfileSampleRequest,
): Promise<ProfiledSample> {
  const signal = AbortSignal.timeout(deps.timeoutMs);
  const files = createPreviewFiles(deps.unpacker);
  try {
    const { pieces, ...drawn } = await drawSamples({ ...deps, files }, { recipe, inputs, size, seed, signal });
    const result = await withPieces(
      { ...deps, unpacked: files.paths },
      { pieces, maxDocuments: size, signal },
      (placed) =>
        measure(deps.pool, { recipe, pieces: placed, limits: shardLimits, verdicts: [], compares: true }, signal),
    );
    return { ...result, drawn };
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new RunFailure(runSentences.OVER_TIME.reason({ seconds: deps.timeoutMs / 1000 }));
  } finally {
    await files.close();
  }
}

async function measure(pool: ThreadPool, job: Omit<ProfileJob, 'poison'>, signal: AbortSignal): Promise<ProfileResult> {
  const poison: Poison[] = [];
  for (;;) {
    try {
      return await pool.run('profile', { ...job, poison }, signal);
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      const reason = describeLoss(error, job.recipe.steps[error.step]?.operatorId);
      if (error.ordinal < 0 || poison.length === maxPoison) throw new RunFailure(reason);
      poison.push({ ordinal: error.ordinal, step: error.step < 0 ? null : error.step, reason });
    }
  }
}
