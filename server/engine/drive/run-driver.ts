import { codeOf, runSentences } from '../../kernel/sentences/index.ts';
import { RunFailure, RunLetGo, type Run, type RunContext } from '../../runs/index.ts';
import type { Tx } from '../../storage/database/database.ts';
import type { ShardsTable } from '../../storage/database/tables/engine.ts';
import type { Drive, RunDriverDeps } from './drive-context.ts';
import type { InputFile, Job, OutputFile } from './job.ts';
import { createEarlyJoins, joinFiles, type EarlyJoins } from './joins/join-driver.ts';
import { chainOf, createRunModels, describeUse } from './models/run-models.ts';
import type { ModelUse } from './pools/model-calls.ts';
import { createOutputNames, type OutputNames } from './joins/output-names.ts';
import { exportedFiles, exportFiles, releaseRows } from './exports/export-driver.ts';
import { recordLineage } from './lineage.ts';
import { deleteReferenceShards } from './queries/references.ts';
import { deleteSetSteps } from './queries/set-steps.ts';
import {
  clearOutputs,
  completeShard,
  deleteShards,
  getShard,
  insertShards,
  listPendingShards,
  listShards,
  sumShards,
  sumShardsBySource,
} from './queries/shards.ts';
import { deleteExportedFiles } from './queries/exported-files.ts';
import { deleteUnpackedFiles } from './queries/unpacked-files.ts';
import { requireInput } from './purged-input.ts';
import { recipeRunOf } from './recipe-run.ts';
import { driveReferences, indexReferences, planReferences } from './references/reference-driver.ts';
import { fieldsOf } from '../orders/row-texts.ts';
import { needWholeRows } from '../orders/sample-parts.ts';
import { acquirePlace } from './shards/shard-places.ts';
import { assertSameSamples, driveSetStep, listShardVerdicts } from './sets/set-driver.ts';
import { planFailed } from './shards/failed-plan.ts';
import { planShards, type PlannedShard, type PlanOptions, type Unreadable } from './shards/plan.ts';
import { assertReconciled } from './shards/reconcile.ts';
import type { StoredOutput } from './shards/shard-outcome.ts';
import { workThrough } from './shards/shard-queue.ts';
import { runShard } from './shards/shard-runner.ts';
import type { Piece } from '../orders/shard.ts';
import { createTableCutter, cutColumn as cutColumnOf } from './shards/table-cuts.ts';
import { unpackInputs } from './unpacking/unpacked-inputs.ts';
import { giveBack } from '../orders/result-memory.ts';
import type { ProcessedShard } from './shards/worker-pool.ts';

/** Shard rows per planning transaction: keeps their JSON within a few megabytes. */
const plannedAtOnce = 20;

/**
 * Drives a run from its last checkpoint to its end: plan, shards, joins, commit; each step leaves a checkpoint. Throws
 * RunLetGo when another process took over the run, the signal's reason when it must stop here, and any other error when
 * the run failed.
 */
export async function driveRun(deps: RunDriverDeps, job: Job, given: Run, context: RunContext): Promise<void> {
  const run = recipeRunOf(given);
  const { id } = run;
  const setSteps = await deps.pool.run('setSteps', run.recipe, context.signal);
  const referring = await deps.pool.run('referringSteps', run.recipe, context.signal);
  const asking = await deps.pool.run('modelSteps', run.recipe, context.signal);
  const chain = asking.length === 0 ? [] : await chainOf(deps.runs, deps.db.read, run);
  const { modelWork } = deps;
  const use = asking.length === 0 || modelWork === undefined ? undefined : createRunModels(modelWork.models, id, chain);
  const start: Drive = { ...withModels(deps, use), run, context, indexes: new Map() };
  await logPublished(start);
  if (!context.isPlanned) {
    await planRun(start, job, {
      setSteps: setSteps.length,
      planReferences: () => planReferences(start, job, referring),
    });
  }
  await driveReferences(start, job, referring);
  const drive = { ...start, indexes: await indexReferences(start, job, referring, setSteps) };
  for (const step of setSteps) await driveSetStep(drive, step);
  await context.checkpoint({ phase: 'CLEAN', phaseSamples: given.counts.in + given.skipped });
  await workOnShards(drive);
  await context.checkpoint({ phase: 'WRITE' });
  const { output } = run.recipe;
  if (output === undefined) await joinFiles(drive);
  else await exportFiles(drive, output);
  if (use !== undefined && modelWork !== undefined) {
    const lines = [...(await describeUse(modelWork.models, asking, chain)), ...use.describe()];
    for (const line of lines) await context.log('INFO', line);
  }
  context.signal.throwIfAborted();
  await context.complete(async (tx, completion) => {
    const { finishedAt } = completion;
    const ended = recipeRunOf(completion.run);
    assertReconciled(completion, await sumShards(tx, id), await sumShardsBySource(tx, id));
    const names = createOutputNames();
    const outputs = output === undefined ? outputsOf(tx, id, names) : exportedFiles(tx, id);
    const target = await job.commit(tx, ended, outputs);
    if (output !== undefined) {
      await releaseRows(tx, deps.blobs, id);
      // The target has taken over their references.
      await deleteExportedFiles(tx, id);
    }
    await clearOutputs(tx, id);
    const [source, ...moreSources] = await listSources(deps, tx, id, job.mainSource?.(ended));
    await completion.setTargets([target]);
    await recordLineage(tx, ended, { source, moreSources, target, finishedAt });
    const spent = [
      ...(await deleteSetSteps(tx, id)),
      ...(await deleteReferenceShards(tx, id)),
      ...(await deleteUnpackedFiles(tx, id)),
    ];
    if (spent.length > 0) await deps.blobs.release(tx, spent);
    const renames = names.describe();
    if (renames !== undefined) await completion.log('WARN', renames);
  });
}

/** Steps that call models run in separate workers, which pass their questions on. */
function withModels(deps: RunDriverDeps, use: ModelUse | undefined): RunDriverDeps {
  const { modelWork } = deps;
  if (use === undefined || modelWork === undefined) return deps;
  const { pool, places, plan } = modelWork;
  return { ...deps, places, plan, pool: { ...pool, run: (task, job, signal) => pool.run(task, job, signal, use) } };
}

/** Logs which published code runs and where; a resumed run may be on another machine. */
async function logPublished({ run, context, lane }: Drive): Promise<void> {
  for (const [index, { operatorId: operator, version, digest }] of run.recipe.steps.entries()) {
    if (digest === undefined || lane === undefined) continue;
    await context.log('INFO', runSentences.PUBLISHED_STEP.reason({ step: index + 1, operator, version, digest, lane }));
  }
}

type Source = { datasetId: string; version: number };

/** The datasets that a run reads, the main one first. */
async function listSources(
  { runs }: Pick<RunDriverDeps, 'runs'>,
  tx: Tx,
  runId: string,
  mainId: string | undefined,
): Promise<[Source, ...Source[]]> {
  const sources = (await runs.listDatasets(tx, runId)).flatMap(({ datasetId, role, version }) => {
    return role === 'SOURCE' && version !== null ? [{ datasetId, version }] : [];
  });
  const first = sources.find(({ datasetId }) => datasetId === mainId) ?? sources[0];
  if (first === undefined) throw new Error(`Run ${runId} has no source`);
  return [first, ...sources.filter((source) => source !== first)];
}

/**
 * Cuts the input into shards. Each of the `setSteps` passes over it counts as further work, and so do the datasets that
 * steps compare with, whose bytes `planReferences` returns.
 */
export async function planRun(
  drive: Drive,
  job: Pick<Job, 'inputs' | 'purged'>,
  { setSteps, planReferences: planOthers }: { setSteps: number; planReferences?: () => Promise<number> },
): Promise<void> {
  const { run, context, plan, pool } = drive;
  const { id } = run;
  const { signal } = context;
  // An interrupted plan is made again from scratch: the input is the same.
  await context.checkpoint({ phase: 'PLAN' }, (tx) => deleteShards(tx, id));
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
      source_dataset_id: shard.pieces[0]?.source ?? null,
    }));
    shardNo += rows.length;
    waiting = [];
    if (rows.length > 0) await context.checkpoint({}, (tx) => insertShards(tx, id, rows));
  };
  const noticed = <T extends object>({ path }: InputFile, cuts: T | Unreadable): T | Unreadable => {
    if ('isDamaged' in cuts && cuts.isDamaged) damages.push(withPath(path, cuts.problem));
    return cuts;
  };
  const cutter = createTableCutter(
    { scan: (job, ended) => pool.run('scan', job, ended), plan },
    { recipe: run.recipe, signal },
  );
  const cutTable: PlanOptions['cutTable'] = async (file, format) => noticed(file, await cutter(file, format));
  const where = (run.recipe.where ?? []).map(({ field }) => field);
  const cutting = { where, output: run.recipe.output?.format, stepBytes: plan.shardBytes };
  const lost = new Map<string, { files: number; rows: number; path: string }>();
  let isWholeRow: boolean | undefined;
  const cutColumn: PlanOptions['cutColumn'] = async (file) => {
    isWholeRow ??= needWholeRows(await pool.run('parts', run.recipe, signal));
    const cuts = noticed(
      file,
      await cutColumnOf(
        pool,
        { file, options: { ...cutting, fields: fieldsOf(run.recipe, file.path), isWholeRow } },
        signal,
      ),
    );
    if ('lostTypes' in cuts && cuts.lostTypes.length > 0) {
      const changes = cuts.lostTypes.join('; ');
      const known = lost.get(changes) ?? { files: 0, rows: 0, path: file.path };
      lost.set(changes, { ...known, files: known.files + 1, rows: known.rows + (cuts.rows ?? 0) });
    }
    return cuts;
  };
  const options = { ...plan, cutTable, cutColumn };
  const unpack = (inputs: AsyncIterable<readonly InputFile[]>): AsyncIterable<readonly InputFile[]> =>
    unpackInputs(drive, inputs);
  const { failedOf } = run;
  const shards =
    failedOf === null
      ? planShards(unpack(job.inputs(run)), options)
      : planFailed(drive, { failedOf, inputs: job.inputs(run), unpack }, options);
  const repacked = { arrow: 0, bzip2: 0 };
  for await (const shard of shards) {
    bytesTotal += shard.bytes;
    for (const { packed } of shard.filePart === 0 ? shard.pieces : []) {
      if (packed?.compression === 'arrow' || packed?.compression === 'bzip2') repacked[packed.compression] += 1;
    }
    waiting.push(shard);
    if (waiting.length === plannedAtOnce) await store();
  }
  await store();
  // Each whole-set step reads all input once more.
  const referenceBytes = (await planOthers?.()) ?? 0;
  // In a run over an earlier run's failed samples, missing files with failed samples are noticed anyway.
  if (failedOf === null) await requireInput(job, run);
  await context.checkpoint({ total: bytesTotal * (1 + setSteps) + referenceBytes });
  await context.log('INFO', runSentences.PLANNED.reason({ shards: shardNo, bytes: bytesTotal }));
  if (shardNo === 0 && failedOf === null) await context.log('WARN', noInput);
  if (run.recipe.output === undefined) {
    for (const message of describeRepacked(repacked)) await context.log('INFO', message);
  }
  for (const [changes, { files, rows, path }] of lost) {
    await context.log(
      'WARN',
      runSentences.TYPES_NOT_KEPT.reason({ format: run.recipe.output?.format ?? '', files, rows, path, changes }),
    );
  }
  for (const message of damages) await context.log('ERROR', message);
  if (failedOf !== null && setSteps > 0) await context.log('WARN', comparedAlone);
}

/** Adds the path to the problem of an erased file, which lacks it. */
function withPath(path: string, problem: string): string {
  return codeOf(problem) === 'CONTENT_ERASED' ? runSentences.FILE_UNREADABLE({ path, why: problem }) : problem;
}

const noInput =
  'No file is input: the dataset is empty, or no file matches the prefix, the types and the exclusions of the task';

/** Messages about files that are written in another format or compression than their source. */
function describeRepacked({ arrow, bzip2 }: { arrow: number; bzip2: number }): string[] {
  return [
    ...(arrow > 0 ? [runSentences.ARROW_AS_JSON_LINES({ files: arrow })] : []),
    ...(bzip2 > 0 ? [runSentences.BZIP2_AS_GZIP({ files: bzip2 })] : []),
  ];
}

const comparedAlone =
  'Steps over the whole set compare the failed samples with each other only, not with the samples that the target holds';

async function workOnShards(drive: Drive): Promise<void> {
  const { db, run, context } = drive;
  // In a continued run, the first parts of files may already be done and are no longer in memory.
  const isNew = context.epoch === 1 && run.resumedFrom === null && run.recipe.output === undefined;
  const joins = isNew ? createEarlyJoins(drive) : undefined;
  let first: Promise<void> | undefined;
  try {
    await workThrough(
      {
        listWaiting: (after, limit) => listPendingShards(db.read, run.id, after, limit),
        async acquire(shardNo) {
          // Processed alone, so that this shard is to blame if the process ends again.
          if (context.isSuspect) await first;
          return acquirePlace(drive, shardNo);
        },
        work(shardNo, signal) {
          const done = workOnShard(drive, { shardNo, joins }, signal);
          first ??= done.catch(() => {});
          return done;
        },
      },
      context.signal,
    );
    await joins?.drain();
  } finally {
    await joins?.close();
  }
}

async function workOnShard(
  drive: Drive,
  { shardNo, joins }: { shardNo: number; joins: EarlyJoins | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { db, blobs, pool, run, context } = drive;
  const { recipe } = run;
  const shard = await getShard(db.read, run.id, shardNo);
  const pieces = JSON.parse(shard.pieces) as Piece[];
  const onLost = (message: string): Promise<void> => context.log('WARN', `Shard ${shardNo}: ${message}`);
  const { verdicts, poison, samples } = await listShardVerdicts(db.read, run.id, shardNo);
  const isPart = shard.file_parts > 1 || recipe.output !== undefined;
  const options = { isPart, leavesOutEmpty: run.failedOf !== null };
  const result = await runShard(
    { runId: run.id, recipe, pieces, verdicts, poison, indexes: drive.indexes },
    onLost,
    (job) => pool.run('process', { ...job, outcome: options }, signal),
  );
  const { outcome } = result;
  const letGo = (): void => {
    giveBack(result.lease);
  };
  try {
    const found = outcome.figures.rows.reduce((sum, rows) => sum + rows, 0);
    assertSameSamples(pieces, samples, found);
    await completeWith(drive, shard, result);
  } catch (error) {
    letGo();
    throw error;
  } finally {
    await blobs.settle(outcome.staged);
  }
  if (joins === undefined) letGo();
  else joins.take({ row: { ...shard, outputs: JSON.stringify(outcome.outputs) }, held: outcome.held, letGo });
  for (const message of result.damages) await context.log('ERROR', message);
}

/** Stores the checkpoint of a shard. */
async function completeWith(
  { blobs, run, context }: Drive,
  shard: ShardsTable,
  { outcome, ledgerLines, counts, skipped, failures }: ProcessedShard,
): Promise<void> {
  const done = {
    outputs: JSON.stringify(outcome.outputs),
    figures: JSON.stringify(outcome.figures),
    ledger_blob_id: outcome.ledger.id,
    ledger_lines: ledgerLines,
    set_aside: outcome.setAside === null ? null : JSON.stringify(outcome.setAside),
  };
  const phaseSamples = counts.in + skipped;
  await context.checkpoint({ done: shard.bytes, counts, skipped, failures, phaseSamples }, async (tx) => {
    if (!(await completeShard(tx, run.id, shard.shard_no, done, counts))) {
      throw new RunLetGo('The shard has its checkpoint already');
    }
    await blobs.adopt(tx, outcome.staged);
    if (outcome.retained.length > 0) await blobs.retain(tx, outcome.retained);
  });
}

/**
 * Matches every name that a run gives to a new file: the Markdown of a document, the parts of a split one, a former
 * bzip2 file, and a picture in another format.
 */
const madeName = /\.md$|\.part-\d{4,}|\.gz$|\.(?:jpg|png|webp|gif|tiff|avif)$/;

/** The files of the result in path order, loaded a few shards at a time. */
async function* outputsOf(tx: Tx, runId: string, names: OutputNames): AsyncGenerator<OutputFile[]> {
  for (let after = -1; ;) {
    const shards = await listShards(tx, runId, after, plannedAtOnce);
    const last = shards.at(-1);
    if (last === undefined) return;
    after = last.shard_no;
    yield shards.flatMap((shard) => {
      const outputs = JSON.parse(shard.outputs ?? '[]') as StoredOutput[];
      // Shards of earlier versions do not record it.
      const mayBeMade = outputs.some(({ path }) => madeName.test(path));
      const own = new Set(mayBeMade ? (JSON.parse(shard.pieces) as Piece[]).map(({ path }) => path) : []);
      return outputs.map(({ path, isMade = mayBeMade && !own.has(path), ...output }) => {
        if (!('blobId' in output)) throw new RunFailure(`${path} was not joined`);
        return { ...output, path: names.nameOf(path, isMade) };
      });
    });
  }
}
