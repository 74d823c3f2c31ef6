import { setTimeout } from 'node:timers/promises';
import { isoNow, type Clock } from '../kernel/clock.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import { isDatabaseUnavailable } from '../storage/database/unavailable.ts';
import type { RunsTable } from '../storage/database/tables/runs.ts';
import { claimRuns, findLost, releaseLease, releasePlace, renewLeases } from './queries/leases.ts';
import { insertLog } from './queries/logs.ts';
import { endRun } from './queries/runs.ts';
import { createRunContext } from './run-context.ts';
import { failureMessage, RunLetGo } from './run-errors.ts';
import type { RunKind } from './run-kind.ts';
import type { ServiceLogger } from './run-log.ts';
import { runOf } from './run.ts';

export type DriverOptions = {
  db: Database;
  clock: Clock;
  logger: ServiceLogger;
  /** By their names. */
  kinds: ReadonlyMap<string, RunKind>;
  /** Names the data folder that this process holds alone. */
  place: string;
  /** How long a process that is not heard of keeps its runs. */
  leaseMs: number;
  /** Runs that are driven at once. */
  maxDriven: number;
  changed: (runId: string) => void;
};

/** Takes runs that nobody holds, drives them, and keeps hold of them meanwhile. */
export type Drivers = {
  /** Looks for runs now. */
  wake(): void;
  /** Ends the work of this process on a run. */
  letGo(runId: string, reason: string): void;
  start(): Promise<void>;
  /** Leaves runs at their last checkpoint to whoever takes them next. */
  stop(): Promise<void>;
};

type Driven = { epoch: number; stop: AbortController; done: Promise<void> };

/** As long as a process lives, where no other can be at work. */
const foreverMs = 100 * 365 * 86_400_000;

/** Another process may queue or stop runs, or die: looked at this often, or more often where leases are short. */
const maxIntervalMs = 2_000;

/** Between two tries to drive a run whose database is away. */
const firstPauseMs = 250;
const longestPauseMs = 2_000;

export function createDrivers(options: DriverOptions): Drivers {
  const { db, clock, logger, kinds, place, maxDriven, changed } = options;
  const isShared = db.dialect === 'postgres';
  const leaseMs = isShared ? options.leaseMs : foreverMs;
  const intervalMs = Math.min(maxIntervalMs, leaseMs / 4);
  const driven = new Map<string, Driven>();
  const pauses = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isStale = false;
  let isStopping = false;
  let isFailing = false;
  let heldUntil = Number.POSITIVE_INFINITY;

  /** Takes what is free, within a transaction. */
  async function claim(tx: Tx): Promise<RunsTable[]> {
    const limit = maxDriven - driven.size;
    if (isStopping || limit <= 0 || kinds.size === 0) return [];
    const startedAt = isoNow(clock);
    const rows = await claimRuns(tx, { kinds: [...kinds.keys()], place, leaseMs, startedAt, limit });
    for (const { id, epoch } of rows) {
      const message = epoch === 1 ? 'Started' : 'Going on from the last checkpoint';
      await insertLog(tx, { run_id: id, time: startedAt, level: 'INFO', message });
    }
    return rows;
  }

  function begin(row: RunsTable): void {
    const stop = new AbortController();
    const done = drive(row, stop.signal).finally(() => {
      driven.delete(row.id);
      changed(row.id);
      wake();
    });
    driven.set(row.id, { epoch: row.epoch, stop, done });
    changed(row.id);
    if (isStopping) stop.abort(new RunLetGo('The service is stopping'));
  }

  async function drive(row: RunsTable, signal: AbortSignal): Promise<void> {
    const { id, epoch } = row;
    let error: unknown;
    try {
      const kind = kinds.get(row.kind);
      if (kind === undefined) throw new Error(`No kind of runs is called ${row.kind}`);
      const context = createRunContext({ db, clock, leaseMs, changed }, row, signal);
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
    logger.error({ err: error, runId: id }, 'a run failed');
    // That says nothing about the run, and its end could not be written down either.
    if (isDatabaseUnavailable(error)) return goOnLater(row, signal);
    const end = { id, epoch, status: 'FAILED' as const, finishedAt: isoNow(clock), error: failureMessage(error) };
    try {
      // The end of a run and the line that tells of it are one: whoever sees the end has all of the log.
      await db.write(async (tx) => {
        if ((await endRun(tx, end)) === undefined) return;
        await insertLog(tx, { run_id: id, time: end.finishedAt, level: 'ERROR', message: end.error });
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

  /** Waits, longer each time that it comes to this for a run, until somebody may take it again. */
  async function goOnLater(row: RunsTable, signal: AbortSignal): Promise<void> {
    const pauseMs = pauses.get(row.id) ?? firstPauseMs;
    pauses.set(row.id, Math.min(2 * pauseMs, longestPauseMs));
    await setTimeout(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    await giveBack(row);
  }

  /** Leaves a run, if it still is this process's, to whoever takes it next. */
  async function giveBack(row: RunsTable): Promise<void> {
    for (;;) {
      try {
        await db.write((tx) => releaseLease(tx, row));
        return;
      } catch (error) {
        // At its end the process can't wait for a database that is away: then the lease ends by itself.
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
      // Others may have taken them by now: nothing more may be paid for, and no bytes be made that nobody will take.
      if (performance.now() > heldUntil) for (const { id } of held) letGo(id, 'The leases could not be renewed');
      throw error;
    }
  }

  /** One look at a time; what is asked meanwhile is looked at again. */
  function wake(): void {
    isStale = true;
    if (looking !== undefined || isStopping) return;
    isStale = false;
    looking = look()
      .catch((error: unknown) => {
        // Once, and not each time, for as long as it fails.
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
