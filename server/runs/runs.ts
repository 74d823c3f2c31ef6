import { runSentences, type Reason } from '../kernel/sentences/index.ts';
import { EventEmitter } from 'node:events';
import { isoNow, type Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { PageRequest, SortDirection } from '../kernel/page.ts';
import type { Timers } from '../kernel/timers.ts';
import type { Database, Db, Tx } from '../storage/database/database.ts';
import { noSignals, type Signals } from '../storage/database/signals.ts';
import type { RunDatasetsTable } from '../storage/database/tables/runs.ts';
import type { Counts } from '../kernel/counts.ts';
import { createClusterSweep } from './cluster-sweep.ts';
import { createDrivers } from './drivers.ts';
import { addFailures, type FailureCounts } from '../kernel/failure-counts.ts';
import { countDriven, countHeld } from './queries/leases.ts';
import { insertLog, listLogs } from './queries/logs.ts';
import {
  deleteRun,
  findLatestCompleted,
  findRun,
  findRuns,
  listRuns,
  listRunsOfTask,
  lockRunsOfTasks,
  lockRun,
  type RunFilter,
} from './queries/runs.ts';
import { listReading, type VersionSpan } from './queries/traces.ts';
import type { DriverKey, RunCluster } from './run-cluster.ts';
import type { RunKind } from './run-kind.ts';
import { createRetention } from './retention.ts';
import { toLogLine, type LogLevel, type LogLine, type ServiceLogger } from './run-log.ts';
import { createRunQueue, type RunDataset, type RunQueue } from './run-queue.ts';
import { isUnfinished, toRun, type Run } from './run.ts';
import { createStrandedRuns } from './stranded-runs.ts';
import { addCounts, endRun, setFailures } from './queries/run-progress.ts';
import { findRunInto, findRunOfDataset, listRunDatasets, listVersionsRead } from './queries/run-datasets.ts';

export type RunsOptions = {
  db: Database;
  clock: Clock;
  logger: ServiceLogger;
  /** Identifies the data folder, which only this process uses; the same at each start. */
  place?: string;
  /** Duration of a lease if processes share a database; a process that stops renewing it loses its runs. */
  leaseMs?: number;
  /** Maximum number of runs that this process drives concurrently, beside `maxShort` short ones. */
  maxDriven?: number;
  /** Maximum number of concurrent runs of kinds that share transactions. */
  maxShort?: number;
  /** Drives runs of cluster kinds; without it, they are driven here. */
  cluster?: RunCluster | undefined;
  /** Called with the place of a cluster process that died while driving a run. */
  onDriverLost?: (place: string) => Promise<void>;
  /** Days after which ended runs are deleted, except the latest of each task; 0 keeps all. */
  retentionDays?: number;
  /**
   * Notifies other processes of queued, changed and stopped runs, which they would otherwise notice at their next poll.
   */
  signals?: Signals;
  /** For the lines about the progress of a run. */
  timers?: Timers;
};

/** Runs of all areas: the queue, queries, and the drivers. */
export type Runs = RunQueue & {
  /** Registers a kind; call before `start`. */
  register(kind: RunKind): void;
  /** Looks for queued runs now instead of at the next poll. */
  wake(): void;
  /** Stops an unfinished run, whichever process drives it; false if it has ended. */
  stopRun(runId: string): Promise<boolean>;
  /** Locks a run, changes some of its results, and adjusts its counts. */
  recount(tx: Tx, runId: string, change: () => Promise<{ counts: Counts; failures: FailureCounts }>): Promise<void>;
  findRun(db: Db, area: string, taskId: string, runId: string): Promise<Run | undefined>;
  /** The latest completed run of a task. */
  findLatestCompleted(db: Db, area: string, taskId: string): Promise<Run | undefined>;
  /** Runs by their ids. */
  findRuns(db: Db, runIds: readonly string[]): Promise<Map<string, Run>>;
  /** Ordered by creation, newest first by default. */
  listRuns(filter: RunFilter, page: PageRequest, direction?: SortDirection): Promise<{ runs: Run[]; total: number }>;
  listDatasets(db: Db, runId: string): Promise<RunDataset[]>;
  /** Adds a line to the log of an unfinished run. */
  log(tx: Tx, runId: string, level: LogLevel, message: Reason): Promise<void>;
  listLogs(runId: string, page: PageRequest): Promise<{ lines: LogLine[]; total: number }>;
  /** Deletes work of a run that will never be committed or resumed. */
  releaseWork(tx: Tx, run: Run): Promise<void>;
  /** Deletes runs with their logs and the data of their kinds. */
  deleteRuns(tx: Tx, area: string, taskId: string): Promise<void>;
  /**
   * Locks the runs of these tasks until the end of the transaction. Checkpoints lock the run before its data; code that
   * deletes both must use the same order.
   */
  lockRuns(tx: Tx, area: string, taskIds: readonly string[]): Promise<void>;
  /** Whether an unfinished run reads or writes the dataset. */
  isDatasetBusy(db: Db, datasetId: string): Promise<boolean>;
  /** An unfinished run that writes into the dataset. */
  findWriter(db: Db, datasetId: string): Promise<string | undefined>;
  /** Versions of the dataset that stored runs read, ascending; runs past their retention no longer count. */
  listVersionsRead(db: Db, datasetId: string): Promise<number[]>;
  /** Number of runs that the process of each data folder (`place`) is driving. */
  countDriven(): Promise<ReadonlyMap<string, number>>;
  /** Unfinished runs that read versions within the spans, with the names of their tasks, newest first. */
  listReading(db: Db, spans: readonly VersionSpan[], limit: number): Promise<{ run: Run; taskName: string }[]>;
  /**
   * Calls the listener after each change of the run that this process learns of; returns the function to unsubscribe.
   */
  onChange(runId: string, listener: () => void): () => void;
  /** Resumes all unfinished runs that no other process owns. */
  start(): Promise<void>;
  /** Drives a run that another process claimed for this one to its end; returns false if it is no longer available. */
  driveOne(key: DriverKey): Promise<boolean>;
  /** Number of runs that currently share the slots of the cluster. */
  countTakingSlots(): Promise<number>;
  /** Deletes runs past their retention. */
  eraseExpired(): Promise<void>;
  /** Releases unfinished runs at their last checkpoint, to be claimed again. */
  stop(): Promise<void>;
};

/** Duration of a lease; a process that stops renewing it loses its runs. */
export const defaultLeaseMs = 30_000;

const stoppedReason = 'The run was stopped';

/** More runs would wait anyway: each needs memory, and workers are shared. */
const defaultMaxDriven = 50;
/** Enough to fill a write to the index of a knowledge base. */
const defaultMaxShort = 150;

export function createRuns(options: RunsOptions): Runs {
  const { db, clock, logger, place = newId(), signals = noSignals } = options;
  const kinds = new Map<string, RunKind>();
  const forget: (() => void)[] = [];
  const changes = new EventEmitter();
  changes.setMaxListeners(0);
  const changed = (runId: string): void => {
    changes.emit(runId);
    signals.send('run-changed', runId);
  };
  const leaseMs = options.leaseMs ?? defaultLeaseMs;
  const maxDriven = options.maxDriven ?? defaultMaxDriven;
  const maxShort = options.maxShort ?? defaultMaxShort;
  const { cluster } = options;
  const driverOptions = { db, clock, logger, kinds, place, leaseMs, maxDriven, maxShort, changed, cluster };
  const drivers = createDrivers({ ...driverOptions, timers: options.timers });
  const sweep =
    cluster === undefined
      ? undefined
      : createClusterSweep({ db, clock, logger, cluster, freed: drivers.wake, onDriverLost: options.onDriverLost });

  const days = options.retentionDays ?? 0;
  const retention = createRetention({ db, clock, logger, kinds, place, days });
  const stranded = createStrandedRuns({ db, clock, logger, place, leaseMs });

  return {
    ...createRunQueue({ db, clock, kinds, place }),
    register(kind) {
      kinds.set(kind.kind, kind);
    },
    wake() {
      drivers.wake();
      signals.send('run-queued', '');
    },
    async stopRun(runId) {
      const time = isoNow(clock);
      const end = { id: runId, status: 'STOPPED' as const, finishedAt: time, error: null };
      const stopped = await db.write(async (tx) => {
        const row = await endRun(tx, end);
        if (row !== undefined)
          await insertLog(tx, { run_id: runId, time, level: 'INFO', message: runSentences.STOPPED.reason({}) });
        return row;
      });
      if (stopped === undefined) return false;
      // No need to wait for its driver, which cannot write anything after the commit above.
      drivers.letGo(runId, stoppedReason);
      signals.send('run-stopped', runId);
      changed(runId);
      // Its processes end later; if this call fails, the sweep stops them.
      if (kinds.get(stopped.kind)?.isForCluster === true)
        cluster?.stop({ runId, epoch: stopped.epoch }).catch(() => sweep?.wake());
      return true;
    },
    async recount(tx, runId, change) {
      const run = await lockRun(tx, runId);
      const { counts, failures } = await change();
      if (run === undefined) return;
      await addCounts(tx, runId, counts);
      if (failures.size > 0) await setFailures(tx, runId, addFailures(run, failures));
    },
    async findRun(connection, area, taskId, runId) {
      const row = await findRun(connection, runId);
      return row === undefined || row.area !== area || row.task_id !== taskId ? undefined : toRun(row);
    },
    async findLatestCompleted(connection, area, taskId) {
      const row = await findLatestCompleted(connection, area, taskId);
      return row === undefined ? undefined : toRun(row);
    },
    async findRuns(connection, runIds) {
      if (runIds.length === 0) return new Map();
      return new Map((await findRuns(connection, runIds)).map((row) => [row.id, toRun(row)]));
    },
    async listRuns(filter, page, direction = 'desc') {
      const { rows, total } = await listRuns(db.read, filter, page, direction);
      return { runs: rows.map(toRun), total };
    },
    async listDatasets(connection, runId) {
      return (await listRunDatasets(connection, runId)).map(toRunDataset);
    },
    async log(tx, runId, level, message) {
      const row = await lockRun(tx, runId);
      const line = { run_id: runId, time: isoNow(clock), level, message };
      if (row !== undefined && isUnfinished(row)) await insertLog(tx, line);
    },
    async listLogs(runId, page) {
      const { rows, total } = await listLogs(db.read, runId, page);
      return { lines: rows.map(toLogLine), total };
    },
    async releaseWork(tx, run) {
      const row = await findRun(tx, run.id);
      if (row !== undefined) await kinds.get(row.kind)?.release?.(tx, row.id);
    },
    lockRuns: (tx, area, taskIds) => lockRunsOfTasks(tx, area, taskIds),
    async deleteRuns(tx, area, taskId) {
      for (const { id, kind } of await listRunsOfTask(tx, area, taskId)) {
        await kinds.get(kind)?.remove?.(tx, id);
        await deleteRun(tx, id);
      }
    },
    isDatasetBusy: async (connection, datasetId) => (await findRunOfDataset(connection, datasetId)) !== undefined,
    findWriter: (connection, datasetId) => findRunInto(connection, datasetId),
    listVersionsRead: (connection, datasetId) => listVersionsRead(connection, datasetId),
    countDriven: () => countDriven(db.read),
    async listReading(connection, spans, limit) {
      if (spans.length === 0) return [];
      return (await listReading(connection, spans, limit)).map((row) => {
        const run = toRun(row);
        return { run, taskName: kinds.get(row.kind)?.trace?.(run).taskName ?? '' };
      });
    },
    onChange(runId, listener) {
      changes.on(runId, listener);
      return () => changes.off(runId, listener);
    },
    async start() {
      forget.push(
        signals.on('run-changed', (runId) => changes.emit(runId)),
        signals.on('run-queued', drivers.wake),
        signals.on('run-stopped', (runId) => drivers.letGo(runId, stoppedReason)),
      );
      await drivers.start();
      retention.start();
      // A process with exclusive use of the database owns all runs.
      if (db.dialect === 'postgres') stranded.start();
      sweep?.start();
    },
    driveOne(key) {
      // The cluster takes a while to stop the process, which would call models for nothing meanwhile.
      forget.push(signals.on('run-stopped', (runId) => drivers.letGo(runId, stoppedReason)));
      return drivers.driveOne(key);
    },
    countTakingSlots: () =>
      countHeld(
        db.read,
        [...kinds.values()].filter(({ takesSlots }) => takesSlots === true).map(({ kind }) => kind),
      ),
    eraseExpired: retention.sweep,
    async stop() {
      for (const one of forget.splice(0)) one();
      await Promise.all([retention.stop(), stranded.stop(), drivers.stop()]);
      await Promise.all([retention.stop(), stranded.stop(), sweep?.stop(), drivers.stop()]);
    },
  };
}

function toRunDataset({ dataset_id: datasetId, role, version }: RunDatasetsTable): RunDataset {
  return { datasetId, role, version };
}
