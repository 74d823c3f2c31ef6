import { runSentences, type Reason } from '../../../kernel/sentences/index.ts';
import { RunFailure } from '../../../runs/index.ts';
import { describeLoss, WorkerLost } from '../pools/worker-lost.ts';
import type { StoredShardJob } from './worker-pool.ts';
import type { Piece, Poison } from '../../orders/shard.ts';

/** With more crashing samples than this, the run fails: they are no longer a few bad samples. */
const maxPoison = 10;

/** A shard's job; `poison` are the samples known to crash a worker; newly found ones are added. */
export type ShardRun = Omit<StoredShardJob, 'suspects' | 'poison'> & { poison: Poison[] };

/**
 * Processes a shard until there is a result. If a worker dies or hangs, the shard is retried once, processing the
 * samples of the batch in question one by one; if the same sample, or one of that batch, crashes it again, that sample
 * fails with the cause and the rest of the shard continues. `onLost` is called for each lost worker.
 */
export async function runShard<T>(
  job: ShardRun,
  onLost: (loss: Reason) => Promise<void>,
  work: (job: StoredShardJob) => Promise<T>,
): Promise<T> {
  const { recipe, pieces, poison } = job;
  let suspects: StoredShardJob['suspects'];
  for (;;) {
    try {
      return await work({ ...job, ...(suspects === undefined ? {} : { suspects }) });
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      const why = describeLoss(error, recipe.steps[error.step]?.operatorId);
      await onLost(runSentences.WORKER_LOST.reason({ sample: error.ordinal, why }));
      const isSame =
        error.last === error.ordinal &&
        suspects !== undefined &&
        error.ordinal >= suspects.from &&
        error.ordinal <= suspects.to;
      suspects = { from: error.ordinal, to: error.last };
      if (!isSame) continue;
      if (error.ordinal < 0 || poison.length >= maxPoison) {
        const about = { files: describe(pieces), why };
        throw new RunFailure(runSentences.WORKERS_LOST.reason(about), { cause: error });
      }
      poison.push({ ordinal: error.ordinal, step: error.step < 0 ? null : error.step, reason: why });
    }
  }
}

function describe(pieces: readonly Piece[]): string {
  const [first, ...others] = pieces;
  return `${first?.path ?? 'nothing'}${others.length === 0 ? '' : ` and ${others.length} more files`}`;
}
