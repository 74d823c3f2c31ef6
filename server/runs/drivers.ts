import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import type { Timers } from '../kernel/timers.ts';
import type { Database } from '../storage/database/database.ts';
import type { RunsTable } from '../storage/database/tables/runs.ts';
import { adoptRun, findLost, releasePlace, renewLeases } from './queries/leases.ts';
import { suspicionMs } from './process-ends.ts';
import { createRunClaims, type DrivenRuns, type RunSort } from './run-claims.ts';
import type { DriverKey, RunCluster } from './run-cluster.ts';
import { createDriveRun } from './run-drive.ts';
import { RunLetGo } from './run-errors.ts';
import type { RunKind } from './run-kind.ts';
import type { ServiceLogger } from './run-log.ts';
import { createRunReturns } from './run-returns.ts';

export type DriverOptions = {
  db: Database;
  clock: Clock;
  logger: ServiceLogger;
  /** Kinds by name. */
  kinds: ReadonlyMap<string, RunKind>;
  /** Identifies the data folder, which only this process uses. */
  place: string;
  /** Duration of a lease; a process that stops renewing it loses its runs. */
  leaseMs: number;
  /** Maximum number of runs driven concurrently, beside `maxShort` short ones. */
  maxDriven: number;
  /** Maximum number of runs that share transactions. */
  maxShort: number;
  changed: (runId: string) => void;
  /** Drives runs of cluster kinds; without it, they are driven here. */
  cluster?: RunCluster | undefined;
  /** For the lines about the progress of a run. */
  timers?: Timers | undefined;
};

/** Claims free runs, drives them, and renews their leases. */
export type Drivers = {
  /** Looks for free runs now. */
  wake(): void;
  /** Stops driving a run in this process. */
  letGo(runId: string, reason: string): void;
  start(): Promise<void>;
  /** Drives a run that another process claimed for this one; returns false if it is no longer available. */
  driveOne(key: DriverKey): Promise<boolean>;
  /** Releases runs at their last checkpoint, to be claimed again. */
  stop(): Promise<void>;
};

type Driven = { epoch: number; isSuspect: boolean; sort: RunSort; stop: AbortController; done: Promise<void> };

/** Lease of a process with exclusive use of the database: valid as long as it lives. */
const foreverMs = 100 * 365 * 86_400_000;

/** Poll interval, shorter if leases are short; other processes may queue or stop runs, or die. */
const maxIntervalMs = 2_000;

/** Pause before another poll after one that failed. */
const retryPauseMs = 250;

export function createDrivers(options: DriverOptions): Drivers {
  const { db, clock, logger, kinds, place, maxDriven, maxShort, changed, cluster } = options;
  const isShared = db.dialect === 'postgres';
  const leaseMs = isShared ? options.leaseMs : foreverMs;
  const intervalMs = Math.min(maxIntervalMs, leaseMs / 4);
  const driven = new Map<string, Driven>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isStale = false;
  let isStopping = false;
  let isFailing = false;
  let heldUntil = Number.POSITIVE_INFINITY;
  const claims = createRunClaims({ clock, kinds, place, leaseMs, maxDriven, maxShort, cluster });
  const returns = createRunReturns({ db, clock, logger, place, leaseMs, isStopping: () => isStopping });
  const drive = createDriveRun({
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
    timers: options.timers,
  });

  const drivenRuns: DrivenRuns = {
    count: (sort) => [...driven.values()].filter((one) => one.sort === sort).length,
    hasSuspect: () => [...driven.values()].some(({ isSuspect }) => isSuspect),
  };

  function begin(row: RunsTable): void {
    const stop = new AbortController();
    const done = drive(row, stop.signal).finally(() => {
      driven.delete(row.id);
      changed(row.id);
      wake();
    });
    const isSuspect = row.process_ends > 0;
    driven.set(row.id, { epoch: row.epoch, isSuspect, sort: claims.sortOf(row.kind), stop, done });
    if (isSuspect) globalThis.setTimeout(() => clear(row), suspicionMs).unref();
    changed(row.id);
    if (isStopping) stop.abort(new RunLetGo('The service is stopping'));
  }

  /** Clears the suspicion that the run ends its process, so that another suspect may be driven. */
  function clear({ id, epoch }: Pick<RunsTable, 'id' | 'epoch'>): void {
    const one = driven.get(id);
    if (one?.epoch !== epoch || !one.isSuspect) return;
    one.isSuspect = false;
    wake();
  }

  async function look(): Promise<void> {
    const held = isShared ? [...driven].map(([id, { epoch }]) => ({ id, epoch })) : [];
    const asked = performance.now();
    const failed = new Set<string>();
    try {
      const { renewed, claimed } = await db.write(async (tx) => {
        const options = { except: returns.resting, onFailed: (id: string) => failed.add(id) };
        const renewed = held.length === 0 ? [] : await renewLeases(tx, held, leaseMs);
        return {
          renewed: new Set(renewed),
          claimed: isStopping ? [] : await claims.claim(tx, drivenRuns, options),
        };
      });
      heldUntil = asked + leaseMs;
      isFailing = false;
      for (const row of claimed) begin(row);
      for (const id of failed) changed(id);
      const others = held.filter(({ id }) => !renewed.has(id));
      const lost = others.length === 0 ? [] : await findLost(db.read, others);
      for (const id of lost) letGo(id, 'The run has ended or went over to another process');
    } catch (error) {
      // Other processes may own them by now: stop causing costs and writing bytes that would be discarded.
      if (performance.now() > heldUntil) for (const { id } of held) letGo(id, 'The leases could not be renewed');
      throw error;
    }
  }

  /** Polls one at a time; a request during a poll causes another. */
  function wake(): void {
    isStale = true;
    if (looking !== undefined || isStopping) return;
    isStale = false;
    looking = look()
      .catch((error: unknown) => {
        // Logged once, not for every repeated failure.
        if (!isFailing) logger.error({ err: error }, 'runs could not be looked for; trying again until it works');
        isFailing = true;
        void setTimeout(retryPauseMs, undefined, { ref: false }).then(wake);
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
