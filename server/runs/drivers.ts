import { setTimeout } from 'node:timers/promises';
import { isoNow, type Clock } from '../kernel/clock.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import { createSharedWrites } from '../storage/database/shared-writes.ts';
import { together } from '../storage/database/together.ts';
import { isDatabaseUnavailable } from '../storage/database/unavailable.ts';
import type { RunsTable } from '../storage/database/tables/runs.ts';
import { claimRuns, findLost, releaseLease, releasePlace, renewLeases } from './queries/leases.ts';
import { insertLog } from './queries/logs.ts';
import { endRun } from './queries/runs.ts';
import { createRunContext } from './run-context.ts';
import { failureMessage, RunLetGo } from './run-errors.ts';
import { RunStopped } from './run-failure.ts';
import type { RunKind } from './run-kind.ts';
import type { ServiceLogger } from './run-log.ts';
import { runOf } from './run.ts';

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
};

/** Claims free runs, drives them, and renews their leases. */
export type Drivers = {
  /** Looks for free runs now. */
  wake(): void;
  /** Stops driving a run in this process. */
  letGo(runId: string, reason: string): void;
  start(): Promise<void>;
  /** Releases runs at their last checkpoint, to be claimed again. */
  stop(): Promise<void>;
};

type Driven = { epoch: number; isShort: boolean; stop: AbortController; done: Promise<void> };

/** Lease of a process that has the database to itself: as long as it lives. */
const foreverMs = 100 * 365 * 86_400_000;

/** Poll interval, shorter if leases are short: another process may queue or stop runs, or die. */
const maxIntervalMs = 2_000;

/** Pause between attempts while the database is unreachable. */
const firstPauseMs = 250;
const longestPauseMs = 2_000;

export function createDrivers(options: DriverOptions): Drivers {
  const { db, clock, logger, kinds, place, maxDriven, maxShort, changed } = options;
  const isShared = db.dialect === 'postgres';
  const leaseMs = isShared ? options.leaseMs : foreverMs;
  const intervalMs = Math.min(maxIntervalMs, leaseMs / 4);
  const driven = new Map<string, Driven>();
  const sharedWrite = createSharedWrites(db);
  const pauses = new Map<string, number>();
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
    const claimSome = async (names: readonly string[], limit: number): Promise<RunsTable[]> =>
      limit <= 0 || names.length === 0 ? [] : claimRuns(tx, { kinds: names, place, leaseMs, startedAt, limit });
    const names = [...kinds.keys()];
    const short = [...driven.values()].filter(({ isShort }) => isShort).length;
    const more = await claimSome(names.filter(isShortKind), maxShort - short);
    // Short ones take the places of others only when theirs are taken.
    const others = driven.size - short + Math.max(0, short + more.length - maxShort);
    const rows = [...more, ...(await claimSome(names, maxDriven - others))];
    await together(
      rows.map(({ id, epoch }) => {
        const message = epoch === 1 ? 'Started' : 'Going on from the last checkpoint';
        return insertLog(tx, { run_id: id, time: startedAt, level: 'INFO', message });
      }),
    );
    return rows;
  }

  function isShortKind(name: string): boolean {
    return kinds.get(name)?.sharesTransactions === true;
  }

  function begin(row: RunsTable): void {
    const stop = new AbortController();
    const done = drive(row, stop.signal).finally(() => {
      driven.delete(row.id);
      changed(row.id);
      wake();
    });
    driven.set(row.id, { epoch: row.epoch, isShort: isShortKind(row.kind), stop, done });
    changed(row.id);
    if (isStopping) stop.abort(new RunLetGo('The service is stopping'));
  }

  async function drive(row: RunsTable, signal: AbortSignal): Promise<void> {
    const { id, epoch } = row;
    let error: unknown;
    try {
      const kind = kinds.get(row.kind);
      if (kind === undefined) throw new Error(`No kind of runs is called ${row.kind}`);
      const write = isShortKind(row.kind) ? sharedWrite : db.write;
      const context = createRunContext({ write, clock, leaseMs, changed, kind }, row, signal);
      await kind.drive(runOf(row), context);
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
    if (isDatabaseUnavailable(error)) return goOnLater(row, signal);
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
  async function goOnLater(row: RunsTable, signal: AbortSignal): Promise<void> {
    const pauseMs = pauses.get(row.id) ?? firstPauseMs;
    pauses.set(row.id, Math.min(2 * pauseMs, longestPauseMs));
    await setTimeout(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    await giveBack(row);
  }

  /** Releases a run if this process still owns it. */
  async function giveBack(row: RunsTable): Promise<void> {
    for (;;) {
      try {
        await db.write((tx) => releaseLease(tx, row));
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
    async stop() {
      isStopping = true;
      clearInterval(timer);
      for (const id of driven.keys()) letGo(id, 'The service is stopping');
      await looking;
      await Promise.all([...driven.values()].map(({ done }) => done));
    },
  };
}
