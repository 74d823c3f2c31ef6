import { setTimeout } from 'node:timers/promises';
import { isoNow, type Clock } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import { runSentences } from '../kernel/sentences.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import { createSharedWrites } from '../storage/database/shared-writes.ts';
import { together } from '../storage/database/together.ts';
import { isDatabaseUnavailable } from '../storage/database/unavailable.ts';
import type { RunsTable } from '../storage/database/tables/runs.ts';
import { createHandovers } from './handovers.ts';
import {
  adoptRun,
  claimRuns,
  countHeld,
  findLost,
  releaseLease,
  releasePlace,
  renewLeases,
  retakeRun,
  type ClaimedRun,
} from './queries/leases.ts';
import { insertLog } from './queries/logs.ts';
import { endRun, lockRun } from './queries/runs.ts';
import type { DriverKey, RunCluster } from './run-cluster.ts';
import { createRunContext } from './run-context.ts';
import { failureMessage, RunLetGo } from './run-errors.ts';
import { RunStopped } from '../kernel/run-failure.ts';
import type { RunKind } from './run-kind.ts';
import type { LogLevel, ServiceLogger } from './run-log.ts';
import { toRun } from './run.ts';

export type DriverOptions = {
  db: Database;
  clock: Clock;
  logger: ServiceLogger;
  /** Kinds by name. */
  kinds: ReadonlyMap<string, RunKind>;
  /** Identifies the data folder, which only this process uses. */
  place: string;
  /** Duration of a lease: a process that stops renewing loses its runs after it. */
  leaseMs: number;
  /** Maximum number of runs driven concurrently, beside `maxShort` short ones. */
  maxDriven: number;
  /** The same of runs that share transactions. */
  maxShort: number;
  changed: (runId: string) => void;
  /** Where runs of kinds for a cluster are driven; without it, here. */
  cluster?: RunCluster | undefined;
};

/** Claims free runs, drives them, and renews their leases. */
export type Drivers = {
  /** Looks for free runs now. */
  wake(): void;
  /** Stops driving a run in this process. */
  letGo(runId: string, reason: string): void;
  start(): Promise<void>;
  /** Drives a run that another process claimed for this one; false if it is no longer to be had. */
  driveOne(key: DriverKey): Promise<boolean>;
  /** Releases runs at their last checkpoint, to be claimed again. */
  stop(): Promise<void>;
};

type Driven = { epoch: number; sort: 'short' | 'long' | 'handed over'; stop: AbortController; done: Promise<void> };

/** Lease of a process that has the database to itself: as long as it lives. */
const foreverMs = 100 * 365 * 86_400_000;

/** Poll interval, shorter if leases are short: another process may queue or stop runs, or die. */
const maxIntervalMs = 2_000;

/** Pause between attempts while the database is unreachable. */
const firstPauseMs = 250;
const longestPauseMs = 2_000;
/** Calls of the object store have been repeated for seconds before. */
const longestStorePauseMs = 15_000;
/** The same while the cluster's drivers of a run fail before they take it. */
const longestClusterPauseMs = 300_000;

export function createDrivers(options: DriverOptions): Drivers {
  const { db, clock, logger, kinds, place, maxDriven, maxShort, changed, cluster } = options;
  const handovers = cluster === undefined ? undefined : createHandovers({ db, cluster, place, rest, log: logLine });
  const isShared = db.dialect === 'postgres';
  const leaseMs = isShared ? options.leaseMs : foreverMs;
  const intervalMs = Math.min(maxIntervalMs, leaseMs / 4);
  const driven = new Map<string, Driven>();
  const sharedWrite = createSharedWrites(db);
  const pauses = new Map<string, number>();
  /** Runs that are left to other processes for a while. */
  const resting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isStale = false;
  let isStopping = false;
  let isFailing = false;
  let heldUntil = Number.POSITIVE_INFINITY;

  /** Claims free runs, in a transaction. */
  async function claim(tx: Tx): Promise<RunsTable[]> {
    if (isStopping || kinds.size === 0) return [];
    const startedAt = isoNow(clock);
    const claimSome = async (names: readonly string[], limit: number): Promise<ClaimedRun[]> =>
      limit <= 0 || names.length === 0
        ? []
        : claimRuns(tx, { kinds: names, except: [...resting], place, leaseMs, startedAt, limit });
    const { short = [], long = [], 'handed over': remote = [] } = Object.groupBy(kinds.keys(), sortOf);
    const [shortNow, longNow] = [countOf('short'), countOf('long')];
    const more = await claimSome(short, maxShort - shortNow);
    // Short ones take the places of others only when theirs are taken.
    const others = longNow + Math.max(0, shortNow + more.length - maxShort);
    const rows = [...more, ...(await claimSome([...short, ...long], maxDriven - others))];
    if (cluster !== undefined && remote.length > 0) {
      // What waits for a driver of the cluster is claimed, too; processes that claim at once may claim a few more.
      rows.push(...(await claimSome(remote, cluster.maxRuns - (await countHeld(tx, remote)))));
    }
    await together(
      rows.map(async ({ id: run_id, epoch, kind, lost_place: lost }) => {
        const line = { run_id, time: startedAt };
        if (typeof lost === 'string')
          await insertLog(tx, { ...line, level: 'WARN', message: runSentences.LEASE_EXPIRED({}) });
        const message = epoch === 1 ? 'Started' : 'Going on from the last checkpoint';
        await insertLog(tx, { ...line, level: 'INFO', message });
        if (sortOf(kind) === 'handed over')
          await insertLog(tx, { ...line, level: 'INFO', message: runSentences.HANDED_OVER({}) });
      }),
    );
    return rows;
  }

  function sortOf(name: string): Driven['sort'] {
    const kind = kinds.get(name);
    if (handovers !== undefined && kind?.isForCluster === true) return 'handed over';
    return kind?.sharesTransactions === true ? 'short' : 'long';
  }

  function countOf(sort: Driven['sort']): number {
    return [...driven.values()].filter((one) => one.sort === sort).length;
  }

  async function logLine(
    { id, epoch }: Pick<RunsTable, 'id' | 'epoch'>,
    level: LogLevel,
    message: string,
  ): Promise<void> {
    const time = isoNow(clock);
    await db.write(async (tx) => {
      const row = await lockRun(tx, id);
      if (row?.status === 'RUNNING' && row.epoch === epoch) await insertLog(tx, { run_id: id, time, level, message });
    });
    changed(id);
  }

  function begin(row: RunsTable): void {
    const stop = new AbortController();
    const done = drive(row, stop.signal).finally(() => {
      driven.delete(row.id);
      changed(row.id);
      wake();
    });
    driven.set(row.id, { epoch: row.epoch, sort: sortOf(row.kind), stop, done });
    changed(row.id);
    if (isStopping) stop.abort(new RunLetGo('The service is stopping'));
  }

  async function drive(row: RunsTable, signal: AbortSignal): Promise<void> {
    const { id, epoch } = row;
    let error: unknown;
    try {
      const kind = kinds.get(row.kind);
      if (kind === undefined) throw new Error(`No kind of runs is called ${row.kind}`);
      if (handovers !== undefined && kind.isForCluster === true) {
        const handover = await handovers.handOver(row, signal);
        if (handover === 'failed') await leave(row, longerPause(id, longestClusterPauseMs), signal);
        else pauses.delete(id);
        return;
      }
      const write = sortOf(row.kind) === 'short' ? sharedWrite : db.write;
      const context = createRunContext({ write, clock, leaseMs, changed, kind }, row, signal);
      await kind.drive(toRun(row), context);
      if (!context.isCompleted) await context.complete(async () => {});
      pauses.delete(id);
      return;
    } catch (caught) {
      error = caught;
    }
    if (error instanceof RunLetGo || signal.aborted) {
      pauses.delete(id);
      return giveBack(row);
    }
    const isStopped = error instanceof RunStopped;
    if (!isStopped) logger.error({ err: error, runId: id }, 'a run failed');
    // This is not the run's failure, and its end could not be stored anyway.
    if (isDatabaseUnavailable(error)) {
      const warning = pauses.has(id) ? undefined : runSentences.DATABASE_AWAY({});
      return goOnLater(row, signal, longestPauseMs, warning);
    }
    if (isStoreUnavailable(error)) {
      if (!pauses.has(id))
        await logLine(row, 'WARN', runSentences.STORE_AWAY({ why: failureMessage(error) })).catch(() => {});
      return goOnLater(row, signal, longestStorePauseMs);
    }
    const status = isStopped ? ('STOPPED' as const) : ('FAILED' as const);
    const end = { id, epoch, status, finishedAt: isoNow(clock), error: failureMessage(error) };
    try {
      // The end of a run and its log line are one transaction: a reader that sees the end has the whole log.
      await db.write(async (tx) => {
        if ((await endRun(tx, end)) === undefined) return;
        const level = isStopped ? ('WARN' as const) : ('ERROR' as const);
        await insertLog(tx, { run_id: id, time: end.finishedAt, level, message: end.error });
        await kinds.get(row.kind)?.ended?.(tx, { taskId: row.task_id, error, finishedAt: end.finishedAt });
      });
      pauses.delete(id);
    } catch (failure) {
      logger.error(
        { err: failure, runId: id },
        'the end of a run could not be written; it goes on from its last checkpoint',
      );
      await giveBack(row);
    }
  }

  /** Waits before a run may be claimed again, longer after each failure. */
  async function goOnLater(row: RunsTable, signal: AbortSignal, atMostMs: number, warning?: string): Promise<void> {
    await setTimeout(longerPause(row.id, atMostMs), undefined, { signal, ref: false }).catch(() => undefined);
    await giveBack(row, warning);
  }

  function longerPause(runId: string, atMostMs: number): number {
    const pauseMs = pauses.get(runId) ?? firstPauseMs;
    pauses.set(runId, Math.min(2 * pauseMs, atMostMs));
    return pauseMs;
  }

  /** Leaves a run to other processes for a while; what follows the pause is done before this process may claim it. */
  async function leave(
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

  /** Leaves a run to other processes, then takes it again under the same epoch; false if somebody has it, or it has ended. */
  function rest(row: RunsTable, pauseMs: number, signal: AbortSignal): Promise<boolean> {
    const { id, epoch } = row;
    return leave(row, pauseMs, signal, () => db.write((tx) => retakeRun(tx, { id, epoch, place, leaseMs })));
  }

  /** Releases a run if this process still owns it, with a warning in its log. */
  async function giveBack(row: RunsTable, warning?: string): Promise<void> {
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
        if (isStopping) return;
        logger.error({ err: error, runId: row.id }, 'a run could not be given back; trying again');
        await setTimeout(longestPauseMs, undefined, { ref: false });
      }
    }
  }

  async function look(): Promise<void> {
    const held = isShared ? [...driven].map(([id, { epoch }]) => ({ id, epoch })) : [];
    const asked = performance.now();
    try {
      const { renewed, claimed } = await db.write(async (tx) => {
        const renewed = held.length === 0 ? [] : await renewLeases(tx, held, leaseMs);
        return { renewed: new Set(renewed), claimed: await claim(tx) };
      });
      heldUntil = asked + leaseMs;
      isFailing = false;
      for (const row of claimed) begin(row);
      const others = held.filter(({ id }) => !renewed.has(id));
      const lost = others.length === 0 ? [] : await findLost(db.read, others);
      for (const id of lost) letGo(id, 'The run has ended or went over to another process');
    } catch (error) {
      // Other processes may own them by now: cause no more cost and write no bytes that nobody would use.
      if (performance.now() > heldUntil) for (const { id } of held) letGo(id, 'The leases could not be renewed');
      throw error;
    }
  }

  /** One poll at a time; a request during a poll causes another. */
  function wake(): void {
    isStale = true;
    if (looking !== undefined || isStopping) return;
    isStale = false;
    looking = look()
      .catch((error: unknown) => {
        // Logged once, not for every repeated failure.
        if (!isFailing) logger.error({ err: error }, 'runs could not be looked for; trying again until it works');
        isFailing = true;
        void setTimeout(firstPauseMs, undefined, { ref: false }).then(wake);
      })
      .finally(() => {
        looking = undefined;
        if (isStale) wake();
      });
  }

  function letGo(runId: string, reason: string): void {
    driven.get(runId)?.stop.abort(new RunLetGo(reason));
  }

  return {
    wake,
    letGo,
    async start() {
      await db.write((tx) => releasePlace(tx, isShared ? place : undefined));
      if (isShared) timer = setInterval(wake, intervalMs).unref();
      wake();
    },
    async driveOne({ runId: id, epoch }) {
      const row = await db.write((tx) => adoptRun(tx, { id, epoch, place, leaseMs }));
      if (row === undefined) return false;
      timer ??= setInterval(wake, intervalMs).unref();
      begin(row);
      await driven.get(id)?.done;
      return true;
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      for (const id of driven.keys()) letGo(id, 'The service is stopping');
      await looking;
      await Promise.all([...driven.values()].map(({ done }) => done));
    },
  };
}

/** The object store was away for longer than its calls are repeated, whoever of the run made the call. */
function isStoreUnavailable(error: unknown): boolean {
  if (error instanceof AppError && error.code === 'OBJECT_STORE_UNAVAILABLE') return true;
  return error instanceof Error && error.cause !== undefined && isStoreUnavailable(error.cause);
}
