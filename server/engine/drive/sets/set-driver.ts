import { type Reason, reasonWith, runSentences, type Sentence } from '../../../kernel/sentences/index.ts';
import type { Db } from '../../../storage/database/database.ts';
import { RunFailure, RunLetGo } from '../../../runs/index.ts';
import {
  deleteSetParts,
  insertSignatures,
  insertVerdicts,
  listSignatures,
  listSignaturesOfShard,
  listUnsignedShards,
  listVerdicts,
} from '../queries/set-steps.ts';
import { getShard } from '../queries/shards.ts';
import type { Drive } from '../drive-context.ts';
import { acquirePlace } from '../shards/shard-places.ts';
import { workThrough } from '../shards/shard-queue.ts';
import type { Piece, Poison } from '../../orders/shard.ts';
import { runShard } from '../shards/shard-runner.ts';
import { listReferenceSignatures } from '../references/reference-driver.ts';
import { comparePartitions, fitsWorker } from './partition-driver.ts';
import { runReduction } from './reduction-run.ts';
import type { PoolTasks, VerdictBlobs } from '../shards/worker-pool.ts';

/**
 * Drives a whole-set step from its last checkpoint to its verdicts: signatures of every shard, then their reduction.
 * The signatures of each shard, the parts of a partitioned comparison, and the verdicts are checkpoints.
 */
export async function driveSetStep(drive: Drive, step: number): Promise<void> {
  const { db, run, context } = drive;
  const known = await listVerdicts(db.read, run.id);
  if (known.some((verdicts) => verdicts.step === step)) return;
  const signed = await listSignatures(db.read, run.id, step);
  await context.checkpoint({ phase: 'COMPARE', phaseSamples: signed.reduce((sum, { samples }) => sum + samples, 0) });
  await workThrough(
    {
      isFirstAlone: context.isSuspect,
      listWaiting: (after, limit) => listUnsignedShards(db.read, { id: run.id, step }, after, limit),
      acquire: (shardNo) => acquirePlace(drive, shardNo),
      work: (shardNo, signal) => signShard(drive, { step, shardNo }, signal),
    },
    context.signal,
  );
  await reduceStep(drive, step);
}

/**
 * Records of the previous set steps for a shard: their verdicts, the samples that crashed a worker, and its number of
 * samples.
 */
export async function listShardVerdicts(
  db: Db,
  runId: string,
  shardNo: number,
): Promise<{ verdicts: VerdictBlobs[]; poison: Poison[]; samples: number | undefined }> {
  const signatures = await listSignaturesOfShard(db, runId, shardNo);
  const poison = new Map<number, Poison>();
  for (const row of signatures) for (const item of poisonIn(row.poison)) poison.set(item.ordinal, item);
  const verdicts = await listVerdicts(db, runId);
  return {
    poison: [...poison.values()],
    samples: signatures[0]?.samples,
    verdicts: verdicts.map(({ step, blob_id: dropsId }) => {
      const own = signatures.find((row) => row.step === step);
      if (own === undefined) throw new Error(`Shard ${shardNo} has no signatures of step ${step}`);
      return { step, slot: shardNo, signaturesId: own.blob_id, dropsId };
    }),
  };
}

/** As stored: a process of an earlier release reads the text of the reason, and writes it without its sentence. */
type StoredPoison = Omit<Poison, 'reason'> & { reason: string; sentence?: Sentence | null };

function storedPoison(poison: readonly Poison[]): string {
  const items = poison.map(({ reason: { text, sentence }, ...place }): StoredPoison => ({
    ...place,
    reason: text,
    sentence,
  }));
  return JSON.stringify(items);
}

function poisonIn(stored: string): Poison[] {
  const items = JSON.parse(stored) as StoredPoison[];
  return items.map(({ reason, sentence, ...place }) => ({ ...place, reason: reasonWith(reason, sentence) }));
}

/**
 * Throws RunFailure if the number of samples has changed. Verdicts are stored by sample number: if a file was damaged
 * or repaired since the last pass, they would apply to other samples.
 */
export function assertSameSamples(pieces: readonly Piece[], known: number | undefined, found: number): void {
  if (known === undefined || known === found) return;
  const paths = [...new Set(pieces.map(({ path }) => path))];
  const shown = `${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ' …' : ''}`;
  throw new RunFailure(runSentences.SAMPLES_DIFFER.reason({ paths: shown, found, known }));
}

async function signShard(
  drive: Drive,
  { step, shardNo }: { step: number; shardNo: number },
  signal: AbortSignal,
): Promise<void> {
  const { db, blobs, pool, run, context } = drive;
  const { id, recipe } = run;
  const shard = await getShard(db.read, id, shardNo);
  const { verdicts, poison, samples: known } = await listShardVerdicts(db.read, id, shardNo);
  const pieces = JSON.parse(shard.pieces) as Piece[];
  const onLost = (note: Reason): Promise<void> =>
    context.log('WARN', runSentences.SHARD_NOTE.reason({ shard: shardNo, note }));
  const { samples, signatures } = await runShard(
    { runId: run.id, recipe, pieces, verdicts, poison, indexes: drive.indexes },
    onLost,
    (job) => pool.run('sign', { ...job, signStep: step }, signal),
  );
  try {
    assertSameSamples(pieces, known, samples);
    const row = {
      run_id: id,
      step,
      shard_no: shardNo,
      blob_id: signatures.id,
      samples,
      poison: storedPoison(poison),
    };
    await context.checkpoint({ done: shard.bytes, phaseSamples: samples }, async (tx) => {
      if (!(await insertSignatures(tx, row))) throw new RunLetGo('The shard is signed already');
      await blobs.adopt(tx, [signatures]);
    });
  } finally {
    await blobs.settle([signatures]);
  }
}

async function reduceStep(drive: Drive, step: number): Promise<void> {
  const { blobs, run, context } = drive;
  const { count, dropped, notes, verdicts } = await reduceSignatures(drive, step);
  try {
    await context.checkpoint({}, async (tx) => {
      await insertVerdicts(tx, { run_id: run.id, step, blob_id: verdicts.id });
      await blobs.adopt(tx, [verdicts]);
      const spent = await deleteSetParts(tx, run.id, step);
      if (spent.length > 0) await blobs.release(tx, spent);
    });
  } finally {
    await blobs.settle([verdicts]);
  }
  const operatorId = run.recipe.steps[step]?.operatorId ?? '';
  await context.log(
    'INFO',
    runSentences.STEP_COMPARED.reason({ step: step + 1, operator: operatorId, samples: count, dropped }),
  );
  for (const { message, level } of notes) {
    await context.log(level, runSentences.STEP_NOTE.reason({ step: step + 1, operator: operatorId, note: message }));
  }
}

/** Compares all samples by their signatures; the caller settles the verdicts. */
export async function reduceSignatures(drive: Drive, step: number): Promise<PoolTasks['reduce']['result']> {
  const { db, pool, run, context, comparison } = drive;
  const { id, recipe } = run;
  const shards = [];
  let firstRow = 0;
  for (const { blob_id, samples, file_part } of await listSignatures(db.read, id, step)) {
    if (file_part === 0) firstRow = 0;
    shards.push({ signaturesId: blob_id, firstRow, samples });
    firstRow += samples;
  }
  const references = await listReferenceSignatures(drive, step);
  const keys = await pool.run('keys', { recipe, step }, context.signal);
  const samples = [...references, ...shards].reduce((sum, one) => sum + one.samples, 0);
  if (keys.isByPairs && !fitsWorker(keys, samples, comparison)) {
    return comparePartitions(drive, step, { keys, references, shards });
  }
  return runReduction(drive, step, 'reduce', { recipe, step, references, shards });
}
