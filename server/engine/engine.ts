import { EventEmitter } from 'node:events';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { createDocuments, type Documents } from '../documents/index.ts';
import { isoNow, type Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { PageRequest, SortDirection } from '../kernel/page.ts';
import type { BlobStore } from '../storage/blobs/blob-store.ts';
import type { TextField } from '../tables/text-field.ts';
import type { Database, Db, Tx } from '../storage/database/database.ts';
import type { RunsTable } from '../storage/database/tables/engine.ts';
import { isDatabaseUnavailable } from '../storage/database/unavailable.ts';
import { createColumnFiles } from './columns/column-files.ts';
import type { InputFile, Job } from './job.ts';
import type { LedgerEntry, LedgerFilter } from './ledger/ledger-entry.ts';
import { createLedgerReader, summarizeSteps, type FoundSample, type StepSummary } from './ledger/ledger-reader.ts';
import { lineageOf, type Lineage } from './lineage.ts';
import { listLineage } from './queries/lineage.ts';
import { insertLog, listLogs } from './queries/logs.ts';
import {
  deleteRun,
  endRun,
  findRun,
  findRunOfDataset,
  insertRun,
  insertRunDatasets,
  listRunIds,
  listRuns,
  listUnfinishedRuns,
  lockRun,
  takeRun,
} from './queries/runs.ts';
import { deleteSetSteps, moveSetSteps } from './queries/set-steps.ts';
import { clearOutputs, copyShards, listShards } from './queries/shards.ts';
import { maxCheckedBytes, previewInput, previewSample, type Preview, type PreviewRequest } from './preview/preview.ts';
import type { PreviewSample } from './preview/preview-work.ts';
import { driveRun, type RunDriverDeps } from './run-driver.ts';
import { failureMessage, RunLetGo } from './run-errors.ts';
import type { LogLevel, ServiceLogger } from './run-log.ts';
import type { RethresholdPlan, Rethresholded } from './ledger/rethreshold.ts';
import { runOf, type Run } from './run.ts';
import { createSemaphore } from './shards/semaphore.ts';
import { noCounts, type Treatment } from './shards/shard.ts';
import { blobIdsOf } from './shards/shard-outcome.ts';
import { findTextField } from './preview/text-fields.ts';
import { createWorkerPool } from './workers/worker-pool.ts';

export type EngineOptions = {
  db: Database;
  blobs: BlobStore;
  clock: Clock;
  logger: ServiceLogger;
  /** Reads PDF, Office documents and their like; the engine has its own, and closes it, where none is given. */
  documents?: Documents;
  /** Threads that work on shards; one core is left to the API. */
  workers?: number;
  /** How long one operator may take for one sample. */
  sampleTimeoutMs?: number;
  /** Heap of a worker. */
  workerMemoryMb?: number;
  /** How long a whole preview may take. */
  previewTimeoutMs?: number;
  /** Tables of at most so many bytes are checked before a preview shows their rows. */
  previewCheckedBytes?: number;
  /** Bytes of input in a shard. */
  shardBytes?: number;
  /** Files in a shard. */
  shardFiles?: number;
  /** Module whose `operators` the workers can run. */
  operatorsUrl?: string;
  /** For files on their way into a blob; emptied by `start`. */
  scratchDirectory: string;
};

export type NewRun = {
  area: string;
  taskId: string;
  by: string;
  treatment: Treatment;
  details: unknown;
  source: { datasetId: string; version: number };
  targetDatasetId: string | null;
};

/** Runs of all areas: what is asked of them, and what makes them go on. */
export type Engine = {
  /** Says how the runs of an area read and commit; before `start`. */
  register(area: string, job: Job): void;
  /** Puts a run into the queue; throws a violated unique index when the task has an unfinished one. Call `wake` after the commit. */
  enqueue(tx: Tx, run: NewRun): Promise<Run>;
  /** The same, beginning with the finished shards of an earlier run of the task, which keeps its ledger. */
  resume(tx: Tx, run: NewRun, fromRunId: string): Promise<Run>;
  wake(runId: string): void;
  /** Stops an unfinished run; false when it is finished. */
  stopRun(runId: string): Promise<boolean>;
  findRun(db: Db, area: string, taskId: string, runId: string): Promise<Run | undefined>;
  /** By the time of their creation, newest first unless `direction` says otherwise. */
  listRuns(
    area: string,
    taskId: string,
    page: PageRequest,
    direction?: SortDirection,
  ): Promise<{ runs: Run[]; total: number }>;
  listLogs(runId: string, page: { page: number; size: number }): Promise<{ lines: LogLine[]; total: number }>;
  /** One page of what became of each sample, in the order of the input. */
  readLedger(
    run: Run,
    filter: LedgerFilter,
    page: { page: number; size: number },
  ): Promise<{ entries: LedgerEntry[]; total: number }>;
  /**
   * Runs the first samples through the steps and tells what each step made of each; steps over the whole set compare those
   * samples alone. Writes nothing. Throws RunFailure when it takes too long, SetupError when it can't work.
   */
  preview(request: PreviewRequest): Promise<Preview>;
  /** Which column of a table holds the text when nobody names it; undefined when that can't be told before the run. */
  findTextField(file: InputFile): Promise<TextField | undefined>;
  /** One sample in a run's ledger. */
  findSample(run: Run, sampleId: string): Promise<FoundSample | undefined>;
  /** What each step made of a sample, as `preview` tells it; throws as that does, and BLOB_MISSING. */
  traceSample(run: Run, sample: FoundSample): Promise<PreviewSample | undefined>;
  /** What would become of the samples under other thresholds, by their stored scores. */
  rethreshold(run: Run, plan: RethresholdPlan): Promise<Rethresholded>;
  /** What each step did, over the shards that are finished. */
  summarizeSteps(run: Run): Promise<StepSummary[]>;
  /** How the versions of a dataset came about (`target`), or what was made of it (`source`), oldest first. */
  listLineage(role: 'source' | 'target', datasetId: string): Promise<Lineage[]>;
  /** Gives back the outputs that a run holds which nobody will commit or resume any more. */
  releaseOutputs(tx: Tx, runId: string): Promise<void>;
  /** Erases all runs of a task with their ledgers. */
  deleteRuns(tx: Tx, taskId: string): Promise<void>;
  /** Whether an unfinished run reads or writes the dataset. */
  isDatasetBusy(db: Db, datasetId: string): Promise<boolean>;
  /** Hears each time that something about the run changed; gives the way to stop hearing. */
  onChange(runId: string, listener: () => void): () => void;
  /** Goes on with every unfinished run. */
  start(): Promise<void>;
  /** Leaves unfinished runs at their last checkpoint and ends the workers. */
  stop(): Promise<void>;
};

export type LogLine = { seq: number; time: string; level: LogLevel; message: string };

const previewWorkers = 2;

/** Between two tries to drive a run whose database is away. */
const firstPauseMs = 250;
const longestPauseMs = 4_000;

const builtInOperators = new URL('../operators/index.ts', import.meta.url).href;

export function createEngine(options: EngineOptions): Engine {
  const { db, blobs, clock, logger, scratchDirectory } = options;
  const workers = options.workers ?? Math.max(1, availableParallelism() - 1);
  const previewTimeoutMs = options.previewTimeoutMs ?? 30_000;
  const poolOptions = {
    operatorsUrl: options.operatorsUrl ?? builtInOperators,
    sampleTimeoutMs: options.sampleTimeoutMs ?? 30_000,
    memoryMb: options.workerMemoryMb ?? 1024,
  };
  const pool = createWorkerPool({ ...poolOptions, size: workers });
  // People wait for previews: they have threads of their own, however many runs there are.
  const previewPool = createWorkerPool({
    ...poolOptions,
    size: previewWorkers,
    sampleTimeoutMs: Math.min(poolOptions.sampleTimeoutMs, previewTimeoutMs / 3),
  });
  const documents = options.documents ?? createDocuments();
  const columns = createColumnFiles({ blobs, scratchDirectory });
  const previewDeps = { blobs, documents, columns, pool: previewPool, timeoutMs: previewTimeoutMs };
  const ledgers = createLedgerReader({ db: db.scan, blobs });
  const jobs = new Map<string, Job>();
  const driving = new Map<string, { stop: AbortController; done: Promise<void> }>();
  const changes = new EventEmitter();
  changes.setMaxListeners(0);
  let isStopping = false;

  const deps: RunDriverDeps = {
    db,
    blobs,
    documents,
    columns,
    clock,
    pool,
    // One more for each worker: its result is written while the next one is worked on. Workers end their shards at about the same
    // time: with one more for all of them, they stood idle for a twentieth of a run.
    semaphore: createSemaphore(2 * workers),
    plan: { shardBytes: options.shardBytes ?? 4 << 20, shardFiles: options.shardFiles ?? 200 },
    scratchDirectory,
    async log(runId, level, message) {
      const time = isoNow(clock);
      // The line that tells of a run's end is its last: who was at work meanwhile and still has something to say is late.
      await db.write(async (tx) => {
        const row = await lockRun(tx, runId);
        const goesOn = row?.status === 'QUEUED' || row?.status === 'RUNNING';
        if (goesOn) await insertLog(tx, { run_id: runId, time, level, message });
      });
      changes.emit(runId);
    },
    changed: (runId) => changes.emit(runId),
  };

  async function drive(runId: string, signal: AbortSignal): Promise<void> {
    const time = isoNow(clock);
    const taken = await db.write(async (tx) => {
      const row = await takeRun(tx, runId, time);
      const message = row?.epoch === 1 ? 'Started' : 'Going on from the last checkpoint';
      if (row !== undefined) await insertLog(tx, { run_id: runId, time, level: 'INFO', message });
      return row;
    });
    if (taken === undefined) return;
    deps.changed(runId);
    const job = jobs.get(taken.area);
    try {
      if (job === undefined) throw new Error(`Nobody takes care of the runs of ${taken.area}`);
      await driveRun(deps, job, taken, signal);
    } catch (error) {
      if (error instanceof RunLetGo || signal.aborted) return;
      // That says nothing about the run; and its end could not be written down either.
      if (isDatabaseUnavailable(error)) throw error;
      logger.error({ err: error, runId }, 'a run failed');
      await fail(taken, failureMessage(error));
    }
  }

  /** Until the run has ended, is somebody else's or is to stop here: what keeps it from that is tried again and again. */
  async function driveToItsEnd(runId: string, signal: AbortSignal): Promise<void> {
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        await drive(runId, signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        logger.error({ err: error, runId }, 'a run could not go on; it does so from its last checkpoint');
      }
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async function fail(taken: RunsTable, message: string): Promise<void> {
    const time = isoNow(clock);
    const end = { id: taken.id, epoch: taken.epoch, status: 'FAILED' as const, finishedAt: time, error: message };
    // The end of a run and the line that tells of it are one: whoever sees the end has all of the log.
    await db.write(async (tx) => {
      if (await endRun(tx, end)) await insertLog(tx, { run_id: taken.id, time, level: 'ERROR', message });
    });
  }

  function wake(runId: string): void {
    if (isStopping || driving.has(runId)) return;
    const stop = new AbortController();
    const done = driveToItsEnd(runId, stop.signal).finally(() => {
      driving.delete(runId);
      changes.emit(runId);
    });
    driving.set(runId, { stop, done });
  }

  async function enqueue(tx: Tx, run: NewRun, resumedFrom: RunsTable | undefined): Promise<Run> {
    const row: RunsTable = {
      id: newId(),
      area: run.area,
      task_id: run.taskId,
      status: 'QUEUED',
      treatment: JSON.stringify(run.treatment),
      details: JSON.stringify(run.details),
      created_at: isoNow(clock),
      created_by: run.by,
      started_at: null,
      finished_at: null,
      error: null,
      resumed_from: resumedFrom?.id ?? null,
      epoch: 0,
      planned: resumedFrom?.planned ?? 0,
      bytes_total: resumedFrom?.bytes_total ?? 0,
      bytes_done: resumedFrom?.bytes_done ?? 0,
      ...countColumns(resumedFrom),
    };
    await insertRun(tx, row);
    const { datasetId, version } = run.source;
    await insertRunDatasets(tx, [
      { run_id: row.id, dataset_id: datasetId, role: 'SOURCE', version },
      ...(run.targetDatasetId === null
        ? []
        : [{ run_id: row.id, dataset_id: run.targetDatasetId, role: 'TARGET' as const, version: null }]),
    ]);
    return runOf(row);
  }

  /** The blobs of a run's shards, some shards at a time. */
  async function* blobsOf(tx: Tx, runId: string): AsyncGenerator<{ outputs: string[]; ledgers: string[] }> {
    for (let after = -1; ;) {
      const shards = await listShards(tx, runId, after, 100);
      const last = shards.at(-1);
      if (last === undefined) return;
      after = last.shard_no;
      yield {
        outputs: shards.flatMap((shard) => blobIdsOf(shard.outputs)),
        ledgers: shards.flatMap(({ ledger_blob_id }) => (ledger_blob_id === null ? [] : [ledger_blob_id])),
      };
    }
  }

  async function releaseOutputs(tx: Tx, runId: string): Promise<void> {
    for await (const { outputs } of blobsOf(tx, runId)) if (outputs.length > 0) await blobs.release(tx, outputs);
    await clearOutputs(tx, runId);
    await releaseSetSteps(tx, runId);
  }

  async function releaseSetSteps(tx: Tx, runId: string): Promise<void> {
    const ids = await deleteSetSteps(tx, runId);
    if (ids.length > 0) await blobs.release(tx, ids);
  }

  return {
    register(area, job) {
      jobs.set(area, job);
    },
    enqueue: (tx, run) => enqueue(tx, run, undefined),
    async resume(tx, run, fromRunId) {
      const from = await findRun(tx, fromRunId);
      if (from === undefined) throw new Error(`There is no run ${fromRunId}`);
      const resumed = await enqueue(tx, run, from);
      await copyShards(tx, fromRunId, resumed.id);
      await moveSetSteps(tx, fromRunId, resumed.id);
      // Outputs go over to the new run; a ledger is kept by both.
      for await (const { ledgers } of blobsOf(tx, fromRunId)) if (ledgers.length > 0) await blobs.retain(tx, ledgers);
      await clearOutputs(tx, fromRunId);
      return resumed;
    },
    wake,
    async stopRun(runId) {
      const time = isoNow(clock);
      const end = { id: runId, status: 'STOPPED' as const, finishedAt: time, error: null };
      const stopped = await db.write(async (tx) => {
        if (!(await endRun(tx, end))) return false;
        await insertLog(tx, { run_id: runId, time, level: 'INFO', message: 'Stopped' });
        return true;
      });
      if (!stopped) return false;
      // Nobody waits for its shards to wind down: from the commit above on they can't write any more.
      driving.get(runId)?.stop.abort(new RunLetGo('The run was stopped'));
      changes.emit(runId);
      return true;
    },
    async findRun(connection, area, taskId, runId) {
      const row = await findRun(connection, runId);
      return row === undefined || row.area !== area || row.task_id !== taskId ? undefined : runOf(row);
    },
    async listRuns(area, taskId, page, direction = 'desc') {
      const { rows, total } = await listRuns(db.read, area, taskId, page, direction);
      return { runs: rows.map(runOf), total };
    },
    async listLogs(runId, page) {
      const { rows, total } = await listLogs(db.read, runId, page);
      return { lines: rows.map(({ seq, time, level, message }) => ({ seq, time, level, message })), total };
    },
    readLedger: (run, filter, page) => ledgers.read(run, filter, page),
    findSample: (run, sampleId) => ledgers.find(run, sampleId),
    traceSample: (run, sample) => previewSample(previewDeps, run, sample),
    rethreshold: (run, plan) => ledgers.rethreshold(run, plan),
    preview: (request) =>
      previewInput({ ...previewDeps, checkedBytes: options.previewCheckedBytes ?? maxCheckedBytes }, request),
    findTextField: (file) => findTextField({ blobs, columns }, file),
    summarizeSteps: (run) => summarizeSteps(db.scan, run),
    listLineage: async (role, datasetId) => (await listLineage(db.read, role, datasetId)).map(lineageOf),
    releaseOutputs,
    async deleteRuns(tx, taskId) {
      for (const runId of await listRunIds(tx, taskId)) {
        for await (const { outputs, ledgers } of blobsOf(tx, runId)) {
          const ids = [...outputs, ...ledgers];
          if (ids.length > 0) await blobs.release(tx, ids);
        }
        await releaseSetSteps(tx, runId);
        await deleteRun(tx, runId);
      }
    },
    isDatasetBusy: async (connection, datasetId) => (await findRunOfDataset(connection, datasetId)) !== undefined,
    onChange(runId, listener) {
      changes.on(runId, listener);
      return () => changes.off(runId, listener);
    },
    async start() {
      await rm(scratchDirectory, { recursive: true, force: true });
      for (const runId of await listUnfinishedRuns(db.read)) wake(runId);
    },
    async stop() {
      isStopping = true;
      const drivers = [...driving.values()];
      for (const { stop } of drivers) stop.abort(new RunLetGo('The service is stopping'));
      await Promise.all(drivers.map(({ done }) => done));
      if (options.documents === undefined) documents.close();
      columns.close();
      await Promise.all([pool.close(), previewPool.close(), ledgers.close()]);
    },
  };
}

function countColumns(
  from: RunsTable | undefined,
): Pick<RunsTable, 'count_in' | 'count_kept' | 'count_changed' | 'count_dropped' | 'count_failed' | 'count_emitted'> {
  return {
    count_in: from?.count_in ?? noCounts.in,
    count_kept: from?.count_kept ?? noCounts.kept,
    count_changed: from?.count_changed ?? noCounts.changed,
    count_dropped: from?.count_dropped ?? noCounts.dropped,
    count_failed: from?.count_failed ?? noCounts.failed,
    count_emitted: from?.count_emitted ?? noCounts.emitted,
  };
}
