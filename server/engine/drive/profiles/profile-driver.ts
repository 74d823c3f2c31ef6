import { type Reason, runSentences } from '../../../kernel/sentences/index.ts';
import { RunFailure, RunLetGo, type Run, type RunContext } from '../../../runs/index.ts';
import type { Drive, RunDriverDeps } from '../drive-context.ts';
import type { Job } from '../job.ts';
import { insertProfile, listFigures } from '../queries/profiles.ts';
import { deleteSetSteps, insertSignatures } from '../queries/set-steps.ts';
import { completeShard, deleteShards, getShard, listPendingShards } from '../queries/shards.ts';
import { deleteUnpackedFiles } from '../queries/unpacked-files.ts';
import { recipeRunOf } from '../recipe-run.ts';
import { reduceSignatures } from '../sets/set-driver.ts';
import { createWorkerWaits, inTurn } from '../shards/worker-waits.ts';
import { acquirePlace } from '../shards/shard-places.ts';
import { workThrough } from '../shards/shard-queue.ts';
import { runShard } from '../shards/shard-runner.ts';
import type { Piece } from '../../orders/shard.ts';
import { createProfileSum } from './profile.ts';
import type { ProfileFigures } from '../../orders/profile-jobs.ts';
import { planRun } from '../run-plan.ts';
import { sumShards } from '../queries/shard-totals.ts';

/** What a finished profile stores. */
export type StoredProfile = { figures: ProfileFigures; dropped: { step: number; count: number }[] };

const figuresAtOnce = 100;

/**
 * Drives a run that measures all samples from its last checkpoint to its end: plan, shards, comparison. Each shard is a
 * checkpoint with its figures and the signatures for the comparison. Throws as `driveRun` does.
 */
export async function driveProfile(
  all: RunDriverDeps,
  job: Pick<Job, 'inputs' | 'purged'>,
  given: Run,
  context: RunContext,
): Promise<void> {
  const run = recipeRunOf(given);
  const deps = inTurn(all, createWorkerWaits({ runId: run.id, waitsFor: context.waitsFor, timers: all.timers }));
  const drive: Drive = { ...deps, run, context, indexes: new Map() };
  const { db, pool, blobs } = deps;
  const { id } = run;
  const setSteps = await pool.run('setSteps', run.recipe, context.signal);
  if (!context.isPlanned) await planRun(drive, job, { setSteps: 0 });
  await context.checkpoint({ phase: 'READ', phaseSamples: given.counts.in + given.skipped });
  await workThrough(
    {
      isFirstAlone: context.isSuspect,
      listWaiting: (after, limit) => listPendingShards(db.read, id, after, limit),
      acquire: (shardNo) => acquirePlace(drive, shardNo),
      work: (shardNo, signal) => profileShard(drive, shardNo, signal),
    },
    context.signal,
  );
  await context.checkpoint({ phase: 'COMPARE', phaseSamples: 0 });
  const dropped: StoredProfile['dropped'] = [];
  for (const step of setSteps) {
    const { dropped: count, verdicts } = await reduceSignatures(drive, step);
    await blobs.settle([verdicts]);
    dropped.push({ step, count });
  }
  const figures = await sumFigures(drive);
  context.signal.throwIfAborted();
  await context.complete(async (tx, completion) => {
    const { done, shards, count_in: samples } = await sumShards(tx, id);
    if (done !== shards || samples !== completion.run.counts.in || samples !== figures.samples) {
      throw new RunFailure(runSentences.PROFILE_DOES_NOT_RECONCILE.reason({ done, shards, samples }));
    }
    await insertProfile(tx, { run_id: id, figures: JSON.stringify({ figures, dropped } satisfies StoredProfile) });
    await deleteShards(tx, id);
    const spent = [...(await deleteSetSteps(tx, id)), ...(await deleteUnpackedFiles(tx, id))];
    if (spent.length > 0) await blobs.release(tx, spent);
  });
}

async function profileShard(drive: Drive, shardNo: number, signal: AbortSignal): Promise<void> {
  const { db, blobs, pool, run, context } = drive;
  const { id, recipe } = run;
  const shard = await getShard(db.read, id, shardNo);
  const pieces = JSON.parse(shard.pieces) as Piece[];
  const onLost = (note: Reason): Promise<void> =>
    context.log('WARN', runSentences.SHARD_NOTE.reason({ shard: shardNo, note }));
  const { figures, rows, failures, signatures } = await runShard(
    { runId: id, recipe, pieces, verdicts: [], poison: [] },
    onLost,
    (job) => pool.run('profile', job, signal),
  );
  const { samples, failed, skipped } = figures;
  const counts = { in: samples, kept: samples - failed, changed: 0, dropped: 0, failed, emitted: 0 };
  const nothing = { outputs: null, ledger_blob_id: null, ledger_lines: 0, set_aside: null };
  const blobsOfSteps = signatures.map(({ staged }) => staged);
  try {
    const phaseSamples = samples + skipped;
    await context.checkpoint({ done: shard.bytes, counts, skipped, failures, phaseSamples }, async (tx) => {
      const done = { ...nothing, figures: JSON.stringify(figures) };
      if (!(await completeShard(tx, id, shardNo, done, counts))) {
        throw new RunLetGo('The shard has its checkpoint already');
      }
      for (const { step, staged } of signatures) {
        const row = { run_id: id, step, shard_no: shardNo, blob_id: staged.id, samples: rows, poison: '[]' };
        await insertSignatures(tx, row);
      }
      await blobs.adopt(tx, blobsOfSteps);
    });
  } finally {
    await blobs.settle(blobsOfSteps);
  }
}

/** Adds up the figures of all shards, a batch at a time. */
async function sumFigures({ db, run: { id, recipe }, context }: Drive): Promise<ProfileFigures> {
  const sum = createProfileSum(recipe.steps);
  for (let after = -1; ;) {
    context.signal.throwIfAborted();
    const rows = await listFigures(db.read, id, after, figuresAtOnce);
    const last = rows.at(-1);
    if (last === undefined) return sum.figures();
    after = last.shard_no;
    for (const { figures } of rows) if (figures !== null) sum.add(JSON.parse(figures) as ProfileFigures);
  }
}
