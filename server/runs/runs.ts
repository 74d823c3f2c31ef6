import { EventEmitter } from 'node:events';
import { isoNow, type Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { PageRequest, SortDirection } from '../kernel/page.ts';
import type { Database, Db, Tx } from '../storage/database/database.ts';
import type { RunDatasetsTable, RunsTable } from '../storage/database/tables/runs.ts';
import { noCounts } from './counts.ts';
import { createDrivers } from './drivers.ts';
import { insertLog, listLogs } from './queries/logs.ts';
import {
  deleteRun,
  endRun,
  findRun,
  findRunOfDataset,
  findRuns,
  insertRun,
  insertRunDatasets,
  listRunDatasets,
  listRuns,
  listRunsOfTask,
  lockRun,
  nextRunNumber,
  type RunFilter,
} from './queries/runs.ts';
import type { RunKind } from './run-kind.ts';
import { createRetention } from './retention.ts';
import type { LogLevel, LogLine, ServiceLogger } from './run-log.ts';
import { isUnfinished, runOf, type Run } from './run.ts';
import { createStrandedRuns } from './stranded-runs.ts';

export type RunsOptions = {
  db: Database;
  clock: Clock;
  logger: ServiceLogger;
  /** Names the data folder that this process holds alone, the same at each start. */
  place?: string;
  /** How long a process that is not heard of keeps its runs, where several share a database. */
  leaseMs?: number;
  /** Runs that this process drives at once. */
  maxDriven?: number;
  /** Runs that ended longer ago are erased, but for the latest of each task; 0 keeps all. */
  retentionDays?: number;
};

/** A dataset that a run reads or writes. */
export type RunDataset = { datasetId: string; role: 'SOURCE' | 'TARGET'; version: number | null };

export type NewRun = {
  area: string;
  /** Default: that of the area's name. */
  kind?: string;
  taskId: string;
  by: string;
  details: unknown;
  datasets: readonly RunDataset[];
};

/** Runs of all areas: the queue, what is asked of them, and what makes them go on. */
export type Runs = {
  /** Says how runs of a kind are driven; before `start`. */
  register(kind: RunKind): void;
  /** Puts a run into the queue; throws a violated unique index when the task has an unfinished one. Call `wake` after the commit. */
  enqueue(tx: Tx, run: NewRun): Promise<Run>;
  /** The same, beginning with the finished work of an earlier run of the task, which keeps its ledger. */
  resume(tx: Tx, run: NewRun, fromRunId: string): Promise<Run>;
  /** Looks for runs in the queue now; without it they are found some seconds later where several processes share a database. */
  wake(): void;
  /** Stops an unfinished run, whichever process drives it; false when it is finished. */
  stopRun(runId: string): Promise<boolean>;
  findRun(db: Db, area: string, taskId: string, runId: string): Promise<Run | undefined>;
  /** Runs by their ids. */
  findRuns(db: Db, runIds: readonly string[]): Promise<Map<string, Run>>;
  /** By the time of their creation, newest first unless `direction` says otherwise. */
  listRuns(filter: RunFilter, page: PageRequest, direction?: SortDirection): Promise<{ runs: Run[]; total: number }>;
  listDatasets(db: Db, runId: string): Promise<RunDataset[]>;
  /** Adds a line to the log of an unfinished run. */
  log(tx: Tx, runId: string, level: LogLevel, message: string): Promise<void>;
  listLogs(runId: string, page: PageRequest): Promise<{ lines: LogLine[]; total: number }>;
  /** Gives back the work that a run holds which nobody will commit or resume any more. */
  releaseWork(tx: Tx, run: Run): Promise<void>;
  /** Erases runs with their logs and all that their kinds keep of them. */
  deleteRuns(tx: Tx, area: string, taskId: string): Promise<void>;
  /** Whether an unfinished run reads or writes the dataset. */
  isDatasetBusy(db: Db, datasetId: string): Promise<boolean>;
  /** Hears each time that something about the run changed in this process; gives the way to stop hearing. */
  onChange(runId: string, listener: () => void): () => void;
  /** Goes on with every unfinished run that no other process holds. */
  start(): Promise<void>;
  /** Erases runs whose time is over. */
  eraseExpired(): Promise<void>;
  /** Leaves unfinished runs at their last checkpoint to whoever takes them next. */
  stop(): Promise<void>;
};

/** How long a process that is not heard of keeps its runs. */
export const defaultLeaseMs = 30_000;

/** More wait for their turn: each holds some memory, and its kind's workers are shared anyway. */
const defaultMaxDriven = 50;

export function createRuns(options: RunsOptions): Runs {
  const { db, clock, logger, place = newId() } = options;
  const kinds = new Map<string, RunKind>();
  const changes = new EventEmitter();
  changes.setMaxListeners(0);
  const changed = (runId: string): void => void changes.emit(runId);
  const leaseMs = options.leaseMs ?? defaultLeaseMs;
  const maxDriven = options.maxDriven ?? defaultMaxDriven;
  const drivers = createDrivers({ db, clock, logger, kinds, place, leaseMs, maxDriven, changed });

  const days = options.retentionDays ?? 0;
  const retention = createRetention({ db, clock, logger, kinds, place, days });
  const stranded = createStrandedRuns({ db, clock, logger, place, leaseMs });

  async function enqueue(tx: Tx, run: NewRun, resumed: RunsTable | undefined): Promise<Run> {
    const { area, kind = area, taskId, by, details, datasets } = run;
    const row: RunsTable = {
      ...workOf(resumed),
      id: newId(),
      area,
      kind,
      task_id: taskId,
      number: await nextRunNumber(tx, area, taskId),
      status: 'QUEUED',
      phase: null,
      details: JSON.stringify(details),
      created_at: isoNow(clock),
      created_by: by,
      started_at: null,
      finished_at: null,
      error: null,
      resumed_from: resumed?.id ?? null,
      epoch: 0,
      lease_place: null,
      lease_until: null,
      bound_to: db.dialect === 'postgres' && kinds.get(kind)?.needsOwnPlace === true ? place : null,
    };
    await insertRun(tx, row);
    await insertRunDatasets(
      tx,
      datasets.map(({ datasetId, role, version }) => ({ run_id: row.id, dataset_id: datasetId, role, version })),
    );
    return runOf(row);
  }

  return {
    register(kind) {
      kinds.set(kind.kind, kind);
    },
    enqueue: (tx, run) => enqueue(tx, run, undefined),
    async resume(tx, run, fromRunId) {
      const from = await findRun(tx, fromRunId);
      if (from === undefined) throw new Error(`There is no run ${fromRunId}`);
      const resumed = await enqueue(tx, run, from);
      await kinds.get(from.kind)?.resume?.(tx, fromRunId, resumed.id);
      return resumed;
    },
    wake: drivers.wake,
    async stopRun(runId) {
      const time = isoNow(clock);
      const end = { id: runId, status: 'STOPPED' as const, finishedAt: time, error: null };
      const isStopped = await db.write(async (tx) => {
        if ((await endRun(tx, end)) === undefined) return false;
        await insertLog(tx, { run_id: runId, time, level: 'INFO', message: 'Stopped' });
        return true;
      });
      if (!isStopped) return false;
      // Nobody waits for its work to wind down: from the commit above on nothing of it can be written any more.
      drivers.letGo(runId, 'The run was stopped');
      changed(runId);
      return true;
    },
    async findRun(connection, area, taskId, runId) {
      const row = await findRun(connection, runId);
      return row === undefined || row.area !== area || row.task_id !== taskId ? undefined : runOf(row);
    },
    async findRuns(connection, runIds) {
      if (runIds.length === 0) return new Map();
      return new Map((await findRuns(connection, runIds)).map((row) => [row.id, runOf(row)]));
    },
    async listRuns(filter, page, direction = 'desc') {
      const { rows, total } = await listRuns(db.read, filter, page, direction);
      return { runs: rows.map(runOf), total };
    },
    async listDatasets(connection, runId) {
      return (await listRunDatasets(connection, runId)).map(datasetOf);
    },
    async log(tx, runId, level, message) {
      const row = await lockRun(tx, runId);
      const line = { run_id: runId, time: isoNow(clock), level, message };
      if (row !== undefined && isUnfinished(row)) await insertLog(tx, line);
    },
    async listLogs(runId, page) {
      const { rows, total } = await listLogs(db.read, runId, page);
      return { lines: rows.map(({ seq, time, level, message }) => ({ seq, time, level, message })), total };
    },
    async releaseWork(tx, run) {
      const row = await findRun(tx, run.id);
      if (row !== undefined) await kinds.get(row.kind)?.release?.(tx, row.id);
    },
    async deleteRuns(tx, area, taskId) {
      for (const { id, kind } of await listRunsOfTask(tx, area, taskId)) {
        await kinds.get(kind)?.remove?.(tx, id);
        await deleteRun(tx, id);
      }
    },
    isDatasetBusy: async (connection, datasetId) => (await findRunOfDataset(connection, datasetId)) !== undefined,
    onChange(runId, listener) {
      changes.on(runId, listener);
      return () => changes.off(runId, listener);
    },
    async start() {
      await drivers.start();
      retention.start();
      // Where one process has the database for itself, all runs are its own.
      if (db.dialect === 'postgres') stranded.start();
    },
    eraseExpired: retention.sweep,
    async stop() {
      await Promise.all([retention.stop(), stranded.stop(), drivers.stop()]);
    },
  };
}

function datasetOf({ dataset_id: datasetId, role, version }: RunDatasetsTable): RunDataset {
  return { datasetId, role, version };
}

type Work = Pick<
  RunsTable,
  | 'planned'
  | 'work_total'
  | 'work_done'
  | 'count_in'
  | 'count_kept'
  | 'count_changed'
  | 'count_dropped'
  | 'count_failed'
  | 'count_emitted'
  | 'count_skipped'
  | 'failures'
>;

/** What is done before a run starts: that of the run which it resumes. */
function workOf(from: RunsTable | undefined): Work {
  return {
    planned: from?.planned ?? 0,
    work_total: from?.work_total ?? 0,
    work_done: from?.work_done ?? 0,
    count_in: from?.count_in ?? noCounts.in,
    count_kept: from?.count_kept ?? noCounts.kept,
    count_changed: from?.count_changed ?? noCounts.changed,
    count_dropped: from?.count_dropped ?? noCounts.dropped,
    count_failed: from?.count_failed ?? noCounts.failed,
    count_emitted: from?.count_emitted ?? noCounts.emitted,
    count_skipped: from?.count_skipped ?? 0,
    failures: from?.failures ?? '{}',
  };
}
