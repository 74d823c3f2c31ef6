import { createBackgroundTask } from '../kernel/background-task.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Database } from '../storage/database/database.ts';
import { listExpiredRuns } from './queries/retention.ts';
import { deleteRun, lockRun } from './queries/runs.ts';
import type { RunKind } from './run-kind.ts';
import type { ServiceLogger } from './run-log.ts';

export type RetentionOptions = {
  db: Database;
  clock: Clock;
  logger: ServiceLogger;
  kinds: ReadonlyMap<string, RunKind>;
  place: string;
  /** Days after which ended runs are deleted; 0 keeps all. */
  days: number;
};

/** Erases expired runs, with their logs and all data of their kinds. */
export type Retention = {
  start(): void;
  stop(): Promise<void>;
  /** Erases what is due now. */
  sweep(): Promise<void>;
};

/** Number of runs kept per task, regardless of age. */
export const keptRuns = 10;

const dayMs = 86_400_000;
const intervalMs = 3_600_000;
const erasedAtOnce = 100;

export function createRetention({ db, clock, logger, kinds, place, days }: RetentionOptions): Retention {
  async function sweep(signal?: AbortSignal): Promise<void> {
    if (days === 0) return;
    const before = new Date(clock.now().getTime() - days * dayMs).toISOString();
    for (;;) {
      const expired = await listExpiredRuns(db.scan, { before, keep: keptRuns, place }, erasedAtOnce);
      for (const { id, area, kind, task_id: taskId, number, finished_at: finishedAt } of expired) {
        if (signal?.aborted === true) return;
        const isErased = await db.write(async (tx) => {
          // Another process may have deleted it already.
          if ((await lockRun(tx, id)) === undefined) return false;
          await kinds.get(kind)?.remove?.(tx, id);
          await deleteRun(tx, id);
          return true;
        });
        const run = { area, taskId, runId: id, number, finishedAt };
        if (isErased) logger.info(run, `a run was erased with its log and ledger: it ended more than ${days} days ago`);
      }
      if (expired.length < erasedAtOnce) return;
    }
  }

  const task = createBackgroundTask({
    everyMs: intervalMs,
    work: sweep,
    onError: (error) => logger.error({ err: error }, 'old runs could not be erased; trying again until it works'),
  });

  return { start: task.start, stop: task.stop, sweep: () => sweep() };
}
