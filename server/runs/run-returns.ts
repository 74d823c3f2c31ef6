import type { Reason } from '../kernel/sentences/index.ts';
import { setTimeout } from 'node:timers/promises';
import { isoNow, type Clock } from '../kernel/clock.ts';
import type { Database } from '../storage/database/database.ts';
import type { RunsTable } from '../storage/database/tables/runs.ts';
import { releaseLease, retakeRun } from './queries/leases.ts';
import { insertLog } from './queries/logs.ts';
import { lockRun } from './queries/runs.ts';
import type { ServiceLogger } from './run-log.ts';

/** Releases runs before they have ended: at once, or after a pause that grows with each failure. */
export type RunReturns = {
  /** Runs left to other processes for a while. */
  readonly resting: ReadonlySet<string>;
  /** Releases a run if this process still owns it, with a warning in its log. */
  giveBack(row: RunsTable, warning?: Reason): Promise<void>;
  /** Waits before a run may be claimed again, longer after each failure. */
  goOnLater(row: RunsTable, signal: AbortSignal, atMostMs: number, warning?: Reason): Promise<void>;
  /** Leaves a run to other processes for a while, longer after each failure. */
  leave(row: RunsTable, signal: AbortSignal, atMostMs: number): Promise<void>;
  /**
   * Leaves a run to other processes, then retakes it under the same epoch; returns false if it was taken or has ended.
   */
  rest(row: RunsTable, pauseMs: number, signal: AbortSignal): Promise<boolean>;
  /** Whether the run has paused since its last success. */
  hasPaused(runId: string): boolean;
  /** Resets the pause of the run to the shortest. */
  forget(runId: string): void;
};

/** Pause between attempts while the database is unreachable. */
const firstPauseMs = 250;
const retryPauseMs = 2_000;

export function createRunReturns({
  db,
  clock,
  logger,
  place,
  leaseMs,
  isStopping,
}: {
  db: Database;
  clock: Clock;
  logger: ServiceLogger;
  place: string;
  leaseMs: number;
  /** A stopping process can not wait for an unreachable database. */
  isStopping(): boolean;
}): RunReturns {
  const pauses = new Map<string, number>();
  const resting = new Set<string>();

  function longerPause(runId: string, atMostMs: number): number {
    const pauseMs = pauses.get(runId) ?? firstPauseMs;
    pauses.set(runId, Math.min(2 * pauseMs, atMostMs));
    return pauseMs;
  }

  async function giveBack(row: RunsTable, warning?: Reason): Promise<void> {
    const { id, epoch } = row;
    for (;;) {
      try {
        await db.write(async (tx) => {
          const held = warning === undefined ? undefined : await lockRun(tx, id);
          if (warning !== undefined && held?.status === 'RUNNING' && held.epoch === epoch && held.lease_place === place)
            await insertLog(tx, { run_id: id, time: isoNow(clock), level: 'WARN', message: warning });
          await releaseLease(tx, { id, epoch, place });
        });
        return;
      } catch (error) {
        // A stopping process can not wait for an unreachable database: the lease then expires.
        if (isStopping()) return;
        logger.error({ err: error, runId: row.id }, 'a run could not be given back; trying again');
        await setTimeout(retryPauseMs, undefined, { ref: false });
      }
    }
  }

  /** Leaves a run to other processes for a while; `after` runs before this process may claim it again. */
  async function leaveFor(
    row: RunsTable,
    pauseMs: number,
    signal: AbortSignal,
    after?: () => Promise<boolean>,
  ): Promise<boolean> {
    resting.add(row.id);
    try {
      await giveBack(row);
      await setTimeout(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      return !signal.aborted && (await after?.()) === true;
    } finally {
      resting.delete(row.id);
    }
  }

  return {
    resting,
    giveBack,
    async goOnLater(row, signal, atMostMs, warning) {
      await setTimeout(longerPause(row.id, atMostMs), undefined, { signal, ref: false }).catch(() => undefined);
      await giveBack(row, warning);
    },
    async leave(row, signal, atMostMs) {
      await leaveFor(row, longerPause(row.id, atMostMs), signal);
    },
    rest(row, pauseMs, signal) {
      const { id, epoch } = row;
      return leaveFor(row, pauseMs, signal, () => db.write((tx) => retakeRun(tx, { id, epoch, place, leaseMs })));
    },
    hasPaused: (runId) => pauses.has(runId),
    forget: (runId) => void pauses.delete(runId),
  };
}
