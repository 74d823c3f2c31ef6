import { createBackgroundTask, type BackgroundTask } from '../kernel/background-task.ts';
import { isoNow, type Clock } from '../kernel/clock.ts';
import { runSentences } from '../kernel/sentences/index.ts';
import type { Database } from '../storage/database/database.ts';
import { shorten } from './handovers.ts';
import { releaseLease } from './queries/leases.ts';
import { insertLog } from './queries/logs.ts';
import { findRuns, lockRun } from './queries/runs.ts';
import { driverPlacePrefix, type DriverJob, type RunCluster } from './run-cluster.ts';
import type { ServiceLogger } from './run-log.ts';

const intervalMs = 3_000;
/** How long the cluster keeps an ended job, so that users can inspect it. */
const keptMs = 24 * 3_600_000;

/**
 * Reconciles the jobs of a cluster with the runs, whichever process died: stops jobs whose run has ended, was claimed
 * again or was deleted, and frees a run whose job has ended before its lease expires.
 */
export function createClusterSweep({
  db,
  clock,
  logger,
  cluster,
  freed,
  onDriverLost,
}: {
  db: Database;
  clock: Clock;
  logger: ServiceLogger;
  cluster: RunCluster;
  /** Called when runs have become free. */
  freed: () => void;
  /** Called with the place of a process that died. */
  onDriverLost: ((place: string) => Promise<void>) | undefined;
}): BackgroundTask {
  async function free({ runId, epoch, message }: DriverJob): Promise<void> {
    const place = await db.write(async (tx) => {
      const row = await lockRun(tx, runId);
      if (row?.status !== 'RUNNING' || row.epoch !== epoch) return undefined;
      const { lease_place: held } = row;
      if (held?.startsWith(driverPlacePrefix) !== true) return undefined;
      await releaseLease(tx, { id: runId, epoch, place: held });
      const line = runSentences.DRIVER_LOST.reason({ why: shorten(message) });
      await insertLog(tx, { run_id: runId, time: isoNow(clock), level: 'WARN', message: line });
      return held;
    });
    if (place === undefined) return;
    logger.info({ runId, epoch, why: message }, 'the driver of a run was lost');
    freed();
    await onDriverLost?.(place);
  }

  async function sweep(): Promise<void> {
    const jobs = await cluster.list();
    if (jobs.length === 0) return;
    // Read after the jobs, so that no job is newer than its run's row.
    const rows = await findRuns(db.read, [...new Set(jobs.map(({ runId }) => runId))]);
    const current = new Map(rows.map(({ id, epoch, status }) => [id, status === 'RUNNING' ? epoch : undefined]));
    for (const job of jobs) {
      const isCurrent = current.get(job.runId) === job.epoch;
      if (job.isLive && !isCurrent) await cluster.stop(job);
      else if (!job.isLive && isCurrent) await free(job);
      else if (!job.isLive && job.endedAt !== undefined && clock.now().getTime() - job.endedAt.getTime() > keptMs)
        await cluster.forget(job);
    }
  }

  return createBackgroundTask({
    everyMs: intervalMs,
    work: sweep,
    onError: (error) => logger.error({ err: error }, 'the jobs of the cluster could not be looked at; trying again'),
  });
}
