import { setTimeout } from 'node:timers/promises';
import { noCounts, type RunKind } from '../../../server/runs/index.ts';
import type { Tx } from '../../../server/storage/database/database.ts';
import type { SleepFields } from './schemas/tasks.ts';

/** Records a finished step in the transaction of a checkpoint. */
export type Witness = (tx: Tx, step: { runId: string; step: number; epoch: number }) => Promise<void>;

/** Runs that sleep: each sleep is a checkpoint. */
export function createSleepKind(witness?: Witness): RunKind {
  return {
    kind: 'sleep',
    async drive(run, context) {
      const { steps, stepMs } = run.details as SleepFields;
      if (!context.isPlanned) await context.checkpoint({ total: steps, phase: 'SLEEP' });
      for (let step = context.doneBefore; step < steps; step += 1) {
        await setTimeout(stepMs, undefined, { signal: context.signal });
        const counts = { ...noCounts, in: 1, kept: 1, emitted: 1 };
        await context.checkpoint({ done: 1, counts }, async (tx) => {
          await witness?.(tx, { runId: run.id, step, epoch: context.epoch });
        });
      }
    },
  };
}
