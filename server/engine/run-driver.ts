import type { Documents } from '../documents/index.ts';
import { isoNow, type Clock } from '../kernel/clock.ts';
import type { BlobStore } from '../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import type { RunsTable, ShardsTable } from '../storage/database/tables/engine.ts';
import type { ColumnFiles } from './columns/column-files.ts';
import type { Job, OutputFile } from './job.ts';
import { createEarlyJoins, joinFiles, type EarlyJoins } from './joins/join-driver.ts';
import type { LogLevel } from './run-log.ts';
import { createOutputNames, type OutputNames } from './joins/output-names.ts';
import { planShards, type PlannedShard, type PlanOptions, type ShardSizes, type Unreadable } from './shards/plan.ts';
import { insertLog } from './queries/logs.ts';
import { recordLineage } from './lineage.ts';
import { deleteSetSteps } from './queries/set-steps.ts';
import { addToRun, endRun, lockRun, setPlanned, setTarget } from './queries/runs.ts';
import {
  clearOutputs,
  completeShard,
  deleteShards,
  getShard,
  insertShards,
  listPendingShards,
  listShards,
  sumShards,
} from './queries/shards.ts';
import { assertReconciled } from './shards/reconcile.ts';
import { runOf } from './run.ts';
import { RunFailure, RunLetGo } from './run-errors.ts';
import type { Semaphore } from './shards/semaphore.ts';
import { giveBack } from './workers/result-memory.ts';
import type { Piece, ShardResult } from './shards/shard.ts';
import { stageOutcome, type ShardOutcome, type StoredOutput } from './shards/shard-outcome.ts';
import { assertSameSamples, driveSetStep, listShardVerdicts } from './sets/set-driver.ts';
import { workThrough } from './shards/shard-queue.ts';
import { runShard } from './shards/shard-runner.ts';
import { createTableCutter } from './shards/table-cuts.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

/** What driving a run needs. */
export type RunDriverDeps = {
  db: Database;
  blobs: BlobStore;
  documents: Documents;
  clock: Clock;
  pool: WorkerPool;
  /** Bounds the shards that are held in memory, over all runs. */
  semaphore: Semaphore;
  /** Reads and writes tables of columns. */
  columns: ColumnFiles;
  plan: ShardSizes;
  /** For files that are on their way into a blob; nothing in it outlives the process. */
  scratchDirectory: string;
  log: (runId: string, level: LogLevel, message: string) => Promise<void>;
  /** Something about the run changed. */
  changed: (runId: string) => void;
};

/** Shard rows in one transaction of planning: their JSON stays within some megabytes. */
const plannedAtOnce = 20;

/**
 * Takes a run from wherever it stands to its end: plan, shards, joins, commit; each step leaves a checkpoint. Throws
 * RunLetGo when the run became somebody else's, the signal's reason when it is to stop here, anything else when it failed.
 */
export async function driveRun(deps: RunDriverDeps, job: Job, taken: RunsTable, signal: AbortSignal): Promise<void> {
  const { id, epoch } = taken;
  const setSteps = await deps.pool.run('setSteps', runOf(taken).treatment, signal);
  if (taken.planned === 0) await planRun(deps, job, taken, setSteps.length, signal);
  for (const step of setSteps) await driveSetStep(deps, taken, step, signal);
  await workOnShards(deps, taken, signal);
  await joinFiles(deps, taken, signal);
  signal.throwIfAborted();
  await deps.db.write(async (tx) => {
    const row = await lockRun(tx, id);
    const finishedAt = isoNow(deps.clock);
    if (row === undefined || !(await endRun(tx, { id, epoch, status: 'COMPLETED', finishedAt, error: null }))) {
      throw new RunLetGo('The run is not ours to complete');
    }
    assertReconciled(row, await sumShards(tx, id));
    const names = createOutputNames();
    const target = await job.commit(tx, runOf(row), outputsOf(tx, id, names));
    await clearOutputs(tx, id);
    await setTarget(tx, id, target.datasetId, target.version);
    await recordLineage(tx, row, target, finishedAt);
    const spent = await deleteSetSteps(tx, id);
    if (spent.length > 0) await deps.blobs.release(tx, spent);
    const renames = names.describe();
    if (renames !== undefined) await insertLog(tx, { run_id: id, time: finishedAt, level: 'WARN', message: renames });
    await insertLog(tx, { run_id: id, time: finishedAt, level: 'INFO', message: 'Completed' });
  });
}

async function planRun(
  deps: RunDriverDeps,
  job: Job,
  taken: RunsTable,
  setSteps: number,
  signal: AbortSignal,
): Promise<void> {
  const { id, epoch } = taken;
  // What an interrupted plan left behind is made again: the input is the same.
  await deps.db.write((tx) => deleteShards(tx, id));
  let shardNo = 0;
  let bytesTotal = 0;
  let waiting: PlannedShard[] = [];
  const damages: string[] = [];
  const store = async (): Promise<void> => {
    signal.throwIfAborted();
    const rows = waiting.map((shard, index) => ({
      shard_no: shardNo + index,
      pieces: JSON.stringify(shard.pieces),
      file_part: shard.filePart,
      file_parts: shard.fileParts,
      bytes: shard.bytes,
    }));
    shardNo += rows.length;
    waiting = [];
    await deps.db.write((tx) => insertShards(tx, id, rows));
  };
  const run = runOf(taken);
  const { textField } = run.treatment;
  const noticed = <T extends object>(cuts: T | Unreadable): T | Unreadable => {
    if ('isDamaged' in cuts && cuts.isDamaged) damages.push(cuts.problem);
    return cuts;
  };
  const cutter = createTableCutter(deps, { textField, signal });
  const cutTable: PlanOptions['cutTable'] = async (file, format) => noticed(await cutter(file, format));
  const cutColumn: PlanOptions['cutColumn'] = async (file) =>
    noticed(await deps.columns.cut(file, { textField, stepBytes: deps.plan.shardBytes, signal }));
  for await (const shard of planShards(job.inputs(run), { ...deps.plan, cutTable, cutColumn })) {
    bytesTotal += shard.bytes;
    waiting.push(shard);
    if (waiting.length === plannedAtOnce) await store();
  }
  await store();
  // A step over the whole set reads everything once more.
  const bytesToRead = bytesTotal * (1 + setSteps);
  if (!(await deps.db.write((tx) => setPlanned(tx, id, epoch, bytesToRead)))) throw new RunLetGo('The run is not ours');
  await deps.log(id, 'INFO', `Planned ${shardNo} shards over ${bytesTotal} bytes`);
  for (const message of damages) await deps.log(id, 'ERROR', message);
  deps.changed(id);
}

async function workOnShards(deps: RunDriverDeps, taken: RunsTable, signal: AbortSignal): Promise<void> {
  // Of a run that somebody has worked on before, the first parts of files may be done and in nobody's memory.
  const isNew = taken.epoch === 1 && taken.resumed_from === null;
  const joins = isNew ? createEarlyJoins(deps, taken, signal) : undefined;
  try {
    await workThrough(
      deps.semaphore,
      signal,
      (after, limit) => listPendingShards(deps.db.read, taken.id, after, limit),
      (shardNo, either) => workOnShard(deps, taken, { shardNo, joins }, either),
    );
    await joins?.drain();
  } finally {
    await joins?.close();
  }
}

async function workOnShard(
  deps: RunDriverDeps,
  taken: RunsTable,
  { shardNo, joins }: { shardNo: number; joins: EarlyJoins | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { id } = taken;
  const shard = await getShard(deps.db.read, id, shardNo);
  const pieces = JSON.parse(shard.pieces) as Piece[];
  const onLost = (message: string): Promise<void> => deps.log(id, 'WARN', `Shard ${shardNo}: ${message}`);
  const { treatment } = runOf(taken);
  const { verdicts, poison, samples } = await listShardVerdicts(deps.db.read, id, shardNo);
  const result = await runShard(deps, { treatment, pieces, verdicts, poison, signal, onLost }, (shardJob, either) =>
    deps.pool.run('process', shardJob, either),
  );
  const letGo = (): void => {
    giveBack(result.lease);
  };
  let outcome: ShardOutcome;
  try {
    assertSameSamples(pieces, samples, result.counts.in);
    outcome = await stageOutcome(deps.blobs, pieces, shard.file_parts > 1, result);
    await completeWith(deps, taken, shard, outcome, result);
  } catch (error) {
    letGo();
    throw error;
  }
  if (joins === undefined) letGo();
  else joins.take({ row: { ...shard, outputs: JSON.stringify(outcome.outputs) }, held: outcome.held, letGo });
  for (const message of result.damages) await deps.log(id, 'ERROR', message);
  deps.changed(id);
}

/** The checkpoint of a shard. */
async function completeWith(
  deps: RunDriverDeps,
  { id, epoch }: RunsTable,
  shard: ShardsTable,
  outcome: ShardOutcome,
  { ledgerLines, counts }: Pick<ShardResult, 'ledgerLines' | 'counts'>,
): Promise<void> {
  const done = {
    outputs: JSON.stringify(outcome.outputs),
    figures: JSON.stringify(outcome.figures),
    ledger_blob_id: outcome.ledger.id,
    ledger_lines: ledgerLines,
  };
  try {
    await deps.db.write(async (tx) => {
      const isOurs = await addToRun(tx, id, epoch, shard.bytes, counts);
      if (!isOurs || !(await completeShard(tx, id, shard.shard_no, done, counts))) {
        throw new RunLetGo('The shard is not ours to complete');
      }
      await deps.blobs.adopt(tx, outcome.staged);
      if (outcome.retained.length > 0) await deps.blobs.retain(tx, outcome.retained);
    });
  } finally {
    await deps.blobs.settle(outcome.staged);
  }
}

/** Only of such a name is what a run makes of a file: its Markdown, and the parts that it was split into. */
const madeName = /\.md$|\.part-\d{4,}/;

/** The files of the whole result, in path order, some shards at a time. */
async function* outputsOf(tx: Tx, runId: string, names: OutputNames): AsyncGenerator<OutputFile[]> {
  for (let after = -1; ;) {
    const shards = await listShards(tx, runId, after, plannedAtOnce);
    const last = shards.at(-1);
    if (last === undefined) return;
    after = last.shard_no;
    yield shards.flatMap((shard) => {
      const outputs = JSON.parse(shard.outputs ?? '[]') as StoredOutput[];
      const mayBeMade = outputs.some(({ path }) => madeName.test(path));
      const own = new Set(mayBeMade ? (JSON.parse(shard.pieces) as Piece[]).map(({ path }) => path) : []);
      return outputs.map((output) => {
        if (!('blobId' in output)) throw new RunFailure(`${output.path} was not joined`);
        return { ...output, path: names.nameOf(output.path, mayBeMade && !own.has(output.path)) };
      });
    });
  }
}
