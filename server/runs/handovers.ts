import { setTimeout as pause } from 'node:timers/promises';
import { runSentences } from '../kernel/sentences.ts';
import type { Database } from '../storage/database/database.ts';
import type { RunsTable } from '../storage/database/tables/runs.ts';
import { isDatabaseUnavailable } from '../storage/database/unavailable.ts';
import { findHolder } from './queries/leases.ts';
import { ClusterProblem, type DriverJob, type RunCluster } from './run-cluster.ts';
import type { LogLevel } from './run-log.ts';

export type HandoverOptions = {
  db: Database;
  cluster: RunCluster;
  place: string;
  /** Leaves a run to other processes for a while, which may reach the cluster better; false if one took it, or its job did. */
  rest(row: RunsTable, pauseMs: number, signal: AbortSignal): Promise<boolean>;
  log(row: Pick<RunsTable, 'id' | 'epoch'>, level: LogLevel, message: string): Promise<void>;
};

/**
 * What became of a run: a process of the cluster drives it, or it is no longer this process's; its job has ended before it
 * took the run; or nobody waits any more for a job that may still take it.
 */
export type Handover = 'taken' | 'failed' | 'left';

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
/** How often a process looks whether the driver has come up, and at each so many looks for its job. */
const lookMs = 250;
const looksPerFind = 8;
const maxReason = 600;
const maxWaits = 1_000;

/** Has runs that this process has claimed driven by a cluster. */
export function createHandovers({ db, cluster, place, rest, log }: HandoverOptions): {
  handOver(row: RunsTable, signal: AbortSignal): Promise<Handover>;
} {
  /** Of runs that wait: two processes that pass a run to each other wait longer each time, too, and tell each reason once. */
  const waits = new Map<string, { pauseMs: number; told: Set<string> }>();

  /**
   * Starts a job, however long the cluster is away, unless another process takes the run meanwhile: the log of the run says why it
   * waits, once for each reason.
   */
  async function start(row: RunsTable, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await cluster.start({ runId: row.id, epoch: row.epoch }, signal);
        if (waits.delete(row.id)) await log(row, 'INFO', runSentences.CLUSTER_ACCEPTED({}));
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ClusterProblem)) throw error;
        const why = shorten(error.message);
        const message = error.isRefusal ? runSentences.CLUSTER_REFUSES({ why }) : runSentences.CLUSTER_AWAY({ why });
        const waiting = waits.get(row.id) ?? { pauseMs: firstPauseMs / 2, told: new Set() };
        waiting.pauseMs = Math.min(2 * waiting.pauseMs, longestPauseMs);
        // Runs that others took stay in it.
        if (waits.size >= maxWaits) waits.clear();
        waits.set(row.id, waiting);
        if (!waiting.told.has(message)) await log(row, 'WARN', message);
        waiting.told.add(message);
      }
      if (!(await rest(row, waits.get(row.id)?.pauseMs ?? firstPauseMs, signal))) return;
    }
  }

  async function isTaken({ id, epoch }: RunsTable): Promise<boolean> {
    try {
      const holder = await findHolder(db.read, id);
      return holder === undefined || holder.epoch !== epoch || holder.lease_place !== place;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      return false;
    }
  }

  /** The job, unless the cluster is away; undefined if it knows none. */
  async function findJob({ id, epoch }: RunsTable): Promise<DriverJob | undefined | 'unknown'> {
    try {
      return await cluster.find({ runId: id, epoch });
    } catch (error) {
      if (error instanceof ClusterProblem) return 'unknown';
      throw error;
    }
  }

  return {
    async handOver(row, signal) {
      await start(row, signal);
      for (let look = 1; ; look += 1) {
        await pause(lookMs, undefined, { signal, ref: false }).catch(() => {});
        // The job may come up at any moment, and takes the run without this process.
        if (signal.aborted) return 'left';
        if (await isTaken(row)) return 'taken';
        if (look % looksPerFind !== 0) continue;
        const job = await findJob(row);
        if (job === 'unknown' || job?.isLive === true) continue;
        // It may have taken the run meanwhile.
        if (await isTaken(row)) return 'taken';
        const why = job === undefined ? runSentences.CLUSTER_KNOWS_NO_JOB({}) : shorten(job.message);
        await log(row, 'WARN', runSentences.DRIVER_FAILED({ why }));
        return 'failed';
      }
    },
  };
}

/** A job tells the last lines of its output, of which the end says why it ended. */
export function shorten(reason: string): string {
  const plain = reason.trim().replaceAll(/\s*\n\s*/g, ' · ');
  return plain.length > maxReason ? `${plain.slice(0, 150)} … ${plain.slice(150 - maxReason)}` : plain;
}
