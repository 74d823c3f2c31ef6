import { runSentences } from '../../../kernel/sentences/index.ts';
import { RunFailure } from '../../../runs/index.ts';
import type { Drive } from '../drive-context.ts';
import { WorkerLost } from '../pools/worker-lost.ts';
import type { PoolTasks } from '../shards/worker-pool.ts';

/** A worker may be lost by accident once; a second loss fails the run. */
const reductionTries = 2;

/** Compares the records of samples in a worker. */
export async function runReduction<K extends 'reduce' | 'partition'>(
  { pool, context }: Pick<Drive, 'pool' | 'context'>,
  step: number,
  task: K,
  job: PoolTasks[K]['job'],
  signal: AbortSignal = context.signal,
): Promise<PoolTasks[K]['result']> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await pool.run(task, job, signal);
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      if (tries === reductionTries) {
        const about = { step: step + 1, why: error.reason };
        throw new RunFailure(runSentences.STEP_COULD_NOT_COMPARE.reason(about), { cause: error });
      }
    }
  }
}
