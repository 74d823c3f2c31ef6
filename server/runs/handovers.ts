import { setTimeout as pause } from 'node:timers/promises';
import { runSentences, rewritten, type Reason } from '../kernel/sentences/index.ts';
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
  /**
   * Leaves a run to other processes for a while, since they may be able to reach the cluster; returns false if it was
   * taken meanwhile by one of them or by its job.
   */
  rest(row: RunsTable, pauseMs: number, signal: AbortSignal): Promise<boolean>;
  log(row: Pick<RunsTable, 'id' | 'epoch'>, level: LogLevel, message: Reason): Promise<void>;
};

/**
 * Outcome of a handover: `taken` by a process of the cluster or otherwise no longer this process's; `failed` because
 * its job ended before adopting it; `left` to a job that may still adopt it, without further waiting.
 */
export type Handover = 'taken' | 'failed' | 'left';

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
/** Interval of checks whether the driver has adopted the run; every `looksPerFind` checks it also looks for the job. */
const lookMs = 250;
const looksPerFind = 8;
const maxReason = 600;
const maxWaits = 1_000;

/** Hands runs that this process has claimed over to a cluster. */
export function createHandovers({ db, cluster, place, rest, log }: HandoverOptions): {
  handOver(row: RunsTable, signal: AbortSignal): Promise<Handover>;
} {
  /** Per waiting run: processes that pass a run back and forth also wait longer each time, and log each reason once. */
  const waits = new Map<string, { pauseMs: number; told: Set<string> }>();

  /**
   * Starts a job, retrying while the cluster is unreachable unless another process takes the run. Logs why the run
   * waits, once per reason.
   */
  async function start(row: RunsTable, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await cluster.start({ runId: row.id, epoch: row.epoch }, signal);
        if (waits.delete(row.id)) await log(row, 'INFO', runSentences.CLUSTER_ACCEPTED.reason({}));
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ClusterProblem)) throw error;
        const why = rewritten(error.reason, shorten);
        const sentence = error.isRefusal ? runSentences.CLUSTER_REFUSES : runSentences.CLUSTER_AWAY;
        const message = sentence.reason({ why });
        const waiting = waits.get(row.id) ?? { pauseMs: firstPauseMs / 2, told: new Set() };
        waiting.pauseMs = Math.min(2 * waiting.pauseMs, longestPauseMs);
        // Entries of runs taken by other processes would accumulate otherwise.
        if (waits.size >= maxWaits) waits.clear();
        waits.set(row.id, waiting);
        if (!waiting.told.has(message.text)) await log(row, 'WARN', message);
        waiting.told.add(message.text);
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

  /** The job of a run; undefined if the cluster has none, 'unknown' if the cluster is unreachable. */
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
        // The job may come up at any moment, and adopts the run without this process.
        if (signal.aborted) return 'left';
        if (await isTaken(row)) return 'taken';
        if (look % looksPerFind !== 0) continue;
        const job = await findJob(row);
        if (job === 'unknown' || job?.isLive === true) continue;
        // The job may have adopted the run meanwhile.
        if (await isTaken(row)) return 'taken';
        const why = job === undefined ? runSentences.CLUSTER_KNOWS_NO_JOB.reason({}) : shorten(job.message);
        await log(row, 'WARN', runSentences.DRIVER_FAILED.reason({ why }));
        return 'failed';
      }
    },
  };
}

/** Shortens a job's message, which holds the last lines of its output: the end says why it failed. */
export function shorten(reason: string): string {
  const plain = reason.trim().replaceAll(/\s*\n\s*/g, ' · ');
  return plain.length > maxReason ? `${plain.slice(0, 150)} … ${plain.slice(150 - maxReason)}` : plain;
}
