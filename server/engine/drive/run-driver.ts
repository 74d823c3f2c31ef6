import { runSentences } from '../../kernel/sentences/index.ts';
import { RunFailure, type Run, type RunContext } from '../../runs/index.ts';
import type { Tx } from '../../storage/database/database.ts';
import type { Drive, RunDriverDeps } from './drive-context.ts';
import type { Job, OutputFile } from './job.ts';
import { joinFiles } from './joins/join-driver.ts';
import { chainOf, createRunModels, describeUse } from './models/run-models.ts';
import type { ModelUse } from './pools/model-calls.ts';
import { createOutputNames, type OutputNames } from './joins/output-names.ts';
import { exportedFiles, exportFiles, releaseRows } from './exports/export-driver.ts';
import { recordLineage } from './lineage.ts';
import { deleteReferenceShards } from './queries/references.ts';
import { deleteSetSteps } from './queries/set-steps.ts';
import { clearOutputs, listShards } from './queries/shards.ts';
import { deleteExportedFiles } from './queries/exported-files.ts';
import { deleteUnpackedFiles } from './queries/unpacked-files.ts';
import { recipeRunOf } from './recipe-run.ts';
import { driveReferences, indexReferences, planReferences } from './references/reference-driver.ts';
import { driveSetStep } from './sets/set-driver.ts';
import { assertReconciled } from './shards/reconcile.ts';
import type { StoredOutput } from './shards/shard-outcome.ts';
import type { Piece } from '../orders/shard.ts';
import { planRun } from './run-plan.ts';
import { createWorkerWaits, inTurn, type WorkerWaits } from './shards/worker-waits.ts';
import { workOnShards } from './shard-work.ts';
import { sumShards, sumShardsBySource } from './queries/shard-totals.ts';

/** Shards whose outputs are read at once: their JSON stays within a few megabytes. */
const shardsAtOnce = 20;

/**
 * Drives a run from its last checkpoint to its end: plan, shards, joins, commit; each step leaves a checkpoint. Throws
 * RunLetGo when another process took over the run, the signal's reason when it must stop here, and any other error when
 * the run failed.
 */
export async function driveRun(all: RunDriverDeps, job: Job, given: Run, context: RunContext): Promise<void> {
  const run = recipeRunOf(given);
  const { id } = run;
  const waits = createWorkerWaits({ runId: id, waitsFor: context.waitsFor, timers: all.timers });
  const deps = inTurn(all, waits);
  const setSteps = await deps.pool.run('setSteps', run.recipe, context.signal);
  const referring = await deps.pool.run('referringSteps', run.recipe, context.signal);
  const asking = await deps.pool.run('modelSteps', run.recipe, context.signal);
  const chain = asking.length === 0 ? [] : await chainOf(deps.runs, deps.db.read, run);
  const { modelWork } = deps;
  const use = asking.length === 0 || modelWork === undefined ? undefined : createRunModels(modelWork.models, id, chain);
  const start: Drive = { ...withModels(deps, use, waits), run, context, indexes: new Map() };
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
function withModels(deps: RunDriverDeps, use: ModelUse | undefined, waits: WorkerWaits): RunDriverDeps {
  const { modelWork } = deps;
  if (use === undefined || modelWork === undefined) return deps;
  const { plan } = modelWork;
  const { pool, places } = inTurn({ ...modelWork }, waits);
  return {
    ...deps,
    places,
    plan,
    pool: { ...pool, run: (task, job, signal, own) => pool.run(task, job, signal, { ...own, models: use }) },
  };
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
 * Matches every name that a run gives to a new file: the Markdown of a document, the parts of a split one, a former
 * bzip2 file, and a picture in another format.
 */
const madeName = /\.md$|\.part-\d{4,}|\.gz$|\.(?:jpg|png|webp|gif|tiff|avif)$/;

/** The files of the result in path order, loaded a few shards at a time. */
async function* outputsOf(tx: Tx, runId: string, names: OutputNames): AsyncGenerator<OutputFile[]> {
  for (let after = -1; ;) {
    const shards = await listShards(tx, runId, after, shardsAtOnce);
    const last = shards.at(-1);
    if (last === undefined) return;
    after = last.shard_no;
    yield shards.flatMap((shard) => {
      const outputs = JSON.parse(shard.outputs ?? '[]') as StoredOutput[];
      // Shards of earlier versions do not record it.
      const mayBeMade = outputs.some(({ path }) => madeName.test(path));
      const own = new Set(mayBeMade ? (JSON.parse(shard.pieces) as Piece[]).map(({ path }) => path) : []);
      return outputs.map(({ path, isMade = mayBeMade && !own.has(path), ...output }) => {
        if (!('blobId' in output)) throw new RunFailure(runSentences.NOT_JOINED.reason({ path }));
        return { ...output, path: names.nameOf(path, isMade) };
      });
    });
  }
}
