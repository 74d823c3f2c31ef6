import { createBackgroundTask, type BackgroundTask } from '../kernel/background-task.ts';
import { isoNow, type Clock } from '../kernel/clock.ts';
import { runSentences } from '../kernel/sentences/index.ts';
import type { Database } from '../storage/database/database.ts';
import { listStranded } from './queries/leases.ts';
import { insertLog } from './queries/logs.ts';
import { lockRun } from './queries/runs.ts';
import { isUnfinished } from './run.ts';
import type { ServiceLogger } from './run-log.ts';

/** Log line of a run that no running process can continue. */
export const strandedMessage = runSentences.RUN_STRANDED.reason({});

const intervalMs = 60_000;
const toldAtOnce = 100;

/**
 * Reports, in the logs of the run and of the service, each run whose work is in the data folder of a stopped service:
 * such a run would otherwise wait forever without explanation.
 */
export function createStrandedRuns({
  db,
  clock,
  logger,
  place,
  leaseMs,
}: {
  db: Database;
  clock: Clock;
  logger: ServiceLogger;
  place: string;
  leaseMs: number;
}): BackgroundTask {
  const graceMs = 10 * leaseMs;

  async function tell(): Promise<void> {
    const search = { place, graceMs, createdBefore: new Date(clock.now().getTime() - graceMs).toISOString() };
    for (const { id, area, task_id: taskId, number } of await listStranded(
      db.scan,
      { ...search, message: strandedMessage },
      toldAtOnce,
    )) {
      await db.write(async (tx) => {
        const row = await lockRun(tx, id);
        if (row === undefined || !isUnfinished(row)) return;
        await insertLog(tx, { run_id: id, time: isoNow(clock), level: 'WARN', message: strandedMessage });
      });
      logger.error({ area, taskId, runId: id, number }, 'a run waits for a data folder that no running service uses');
    }
  }

  return createBackgroundTask({
    everyMs: intervalMs,
    work: tell,
    onError: (error) => logger.error({ err: error }, 'stranded runs could not be looked for; trying again'),
  });
}
