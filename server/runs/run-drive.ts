import { isoNow, type Clock } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import { RunStopped } from '../kernel/run-failure.ts';
import { runSentences, type Reason } from '../kernel/sentences/index.ts';
import { ownedBy, type WorkOwner } from '../kernel/work-owner.ts';
import type { Timers } from '../kernel/timers.ts';
import type { Database } from '../storage/database/database.ts';
import { createSharedWrites } from '../storage/database/shared-writes.ts';
import { isDatabaseUnavailable } from '../storage/database/unavailable.ts';
import type { RunsTable } from '../storage/database/tables/runs.ts';
import { createHandovers } from './handovers.ts';
import { atWork, watchQuiet, type QuietWatch } from './quiet-runs.ts';
import { insertLog } from './queries/logs.ts';
import { lockRun } from './queries/runs.ts';
import type { RunClaims } from './run-claims.ts';
import type { RunCluster } from './run-cluster.ts';
import { createRunContext } from './run-context.ts';
import { failureReason, isForPerson, RunLetGo } from './run-errors.ts';
import type { RunKind } from './run-kind.ts';
import type { LogLevel, ServiceLogger } from './run-log.ts';
import type { RunReturns } from './run-returns.ts';
import { toRun } from './run.ts';
import { endRun } from './queries/run-progress.ts';

/** Drives a claimed run until it has ended or is released. */
export type DriveRun = (row: RunsTable, signal: AbortSignal) => Promise<void>;

/** Longest pause between attempts while the database is unreachable. */
const longestPauseMs = 2_000;
/** Longer, because calls to the object store are already retried for seconds. */
const longestStorePauseMs = 15_000;
/** Longest pause while the cluster's drivers fail before they adopt the run. */
const longestClusterPauseMs = 300_000;

export function createDriveRun({
  db,
  clock,
  logger,
  kinds,
  place,
  leaseMs,
  changed,
  cluster,
  claims,
  returns,
  clear,
  timers,
}: {
  db: Database;
  clock: Clock;
  logger: ServiceLogger;
  kinds: ReadonlyMap<string, RunKind>;
  place: string;
  leaseMs: number;
  changed: (runId: string) => void;
  cluster: RunCluster | undefined;
  claims: Pick<RunClaims, 'sortOf'>;
  returns: RunReturns;
  /** Called when the run makes progress, which clears the suspicion that it ends its process. */
  clear: (run: Pick<RunsTable, 'id' | 'epoch'>) => void;
  timers?: Timers | undefined;
}): DriveRun {
  const handovers =
    cluster === undefined ? undefined : createHandovers({ db, cluster, place, rest: returns.rest, log: logLine });
  const sharedWrite = createSharedWrites(db);

  async function logLine(
    { id, epoch }: Pick<RunsTable, 'id' | 'epoch'>,
    level: LogLevel,
    message: Reason | ((row: RunsTable) => Reason),
  ): Promise<void> {
    const time = isoNow(clock);
    await db.write(async (tx) => {
      const row = await lockRun(tx, id);
      if (row?.status !== 'RUNNING' || row.epoch !== epoch) return;
      await insertLog(tx, {
        run_id: id,
        time,
        level,
        message: typeof message === 'function' ? message(row) : message,
      });
    });
    changed(id);
  }

  /** Ends a run that failed or was stopped. */
  async function end(row: RunsTable, error: unknown): Promise<void> {
    const { id, epoch } = row;
    const isStopped = error instanceof RunStopped;
    const status = isStopped ? ('STOPPED' as const) : ('FAILED' as const);
    const ending = { id, epoch, status, finishedAt: isoNow(clock), error: failureReason(error) };
    try {
      // The end of a run and its log line are one transaction: a reader that sees the end has the whole log.
      await db.write(async (tx) => {
        if ((await endRun(tx, ending)) === undefined) return;
        const level = isStopped ? ('WARN' as const) : ('ERROR' as const);
        await insertLog(tx, { run_id: id, time: ending.finishedAt, level, message: ending.error });
        await kinds.get(row.kind)?.ended?.(tx, { taskId: row.task_id, error, finishedAt: ending.finishedAt });
      });
      returns.forget(id);
    } catch (failure) {
      logger.error(
        { err: failure, runId: id },
        'the end of a run could not be written; it goes on from its last checkpoint',
      );
      await returns.giveBack(row);
    }
  }

  return async (row, signal) => {
    const { id } = row;
    /** Aborted by an error that nothing in the run has handled. */
    const stray = new AbortController();
    let isOver = false;
    const owner: WorkOwner = {
      name: { runId: id },
      fail(reason) {
        if (stray.signal.aborted || isOver || signal.aborted) return false;
        stray.abort(reason);
        return true;
      },
    };
    let error: unknown;
    let quiet: QuietWatch | undefined;
    try {
      const kind = kinds.get(row.kind);
      if (kind === undefined) throw new Error(`No kind of runs is called ${row.kind}`);
      if (handovers !== undefined && kind.isForCluster === true) {
        const handover = await handovers.handOver(row, signal);
        if (handover === 'failed') await returns.leave(row, signal, longestClusterPauseMs);
        else returns.forget(id);
        return;
      }
      const write = claims.sortOf(row.kind) === 'short' ? sharedWrite : db.write;
      const watch = (quiet = watchQuiet(() => logLine(row, 'INFO', atWork), timers));
      const context = createRunContext(
        { write, clock, leaseMs, changed, kind, progressed: () => clear(row), logged: watch.logged },
        row,
        AbortSignal.any([signal, stray.signal]),
      );
      await ownedBy(owner, () => kind.drive(toRun(row), context));
      stray.signal.throwIfAborted();
      if (!context.isCompleted) await context.complete(async () => {});
      returns.forget(id);
      return;
    } catch (caught) {
      error = stray.signal.aborted && !signal.aborted ? stray.signal.reason : caught;
    } finally {
      isOver = true;
      quiet?.stop();
    }
    if (error instanceof RunLetGo || signal.aborted) {
      returns.forget(id);
      return returns.giveBack(row);
    }
    const isStopped = error instanceof RunStopped;
    if (!isStopped && isForPerson(error)) logger.info({ runId: id, reason: error.message }, 'a run failed');
    else if (!isStopped) logger.error({ err: error, runId: id }, 'a run failed');
    // This is not the run's failure, and its end could not be stored anyway.
    if (isDatabaseUnavailable(error)) {
      const warning = returns.hasPaused(id) ? undefined : runSentences.DATABASE_AWAY.reason({});
      return returns.goOnLater(row, signal, longestPauseMs, warning);
    }
    if (isStoreUnavailable(error)) {
      if (!returns.hasPaused(id))
        await logLine(row, 'WARN', runSentences.STORE_AWAY.reason({ why: failureReason(error) })).catch(() => {});
      return returns.goOnLater(row, signal, longestStorePauseMs);
    }
    await end(row, error);
  };
}

/** Whether the object store was unavailable beyond the retries of its calls, for any call of the run. */
function isStoreUnavailable(error: unknown): boolean {
  if (error instanceof AppError && error.code === 'OBJECT_STORE_UNAVAILABLE') return true;
  return error instanceof Error && error.cause !== undefined && isStoreUnavailable(error.cause);
}
