import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StagedBlob } from '../../storage/blobs/blob-store.ts';
import type { Db } from '../../storage/database/database.ts';
import type { RunsTable } from '../../storage/database/tables/engine.ts';
import { addToRun, lockRun } from '../queries/runs.ts';
import {
  insertSignatures,
  insertVerdicts,
  listSignatures,
  listSignaturesOfShard,
  listUnsignedShards,
  listVerdicts,
} from '../queries/set-steps.ts';
import { getShard } from '../queries/shards.ts';
import { runOf } from '../run.ts';
import type { RunDriverDeps } from '../run-driver.ts';
import { RunFailure, RunLetGo } from '../run-errors.ts';
import { workThrough } from '../shards/shard-queue.ts';
import { noCounts, type Piece, type Poison } from '../shards/shard.ts';
import { stage } from '../shards/shard-outcome.ts';
import { placeBlob, runShard, type Held, type VerdictBlobs } from '../shards/shard-runner.ts';
import { stageFile } from '../shards/staged-file.ts';
import { WorkerLost } from '../workers/worker-pool.ts';

/** A worker may be lost by accident; when it happens again, it is none. */
const reductionTries = 2;

/**
 * Takes a step over the whole set from wherever it stands to its verdicts: signatures of every shard, then one reduction.
 * Each shard's signatures are a checkpoint, and so are the verdicts.
 */
export async function driveSetStep(
  deps: RunDriverDeps,
  taken: RunsTable,
  step: number,
  signal: AbortSignal,
): Promise<void> {
  const known = await listVerdicts(deps.db.read, taken.id);
  if (known.some((verdicts) => verdicts.step === step)) return;
  await workThrough(
    deps.semaphore,
    signal,
    (after, limit) => listUnsignedShards(deps.db.read, { id: taken.id, step }, after, limit),
    (shardNo, either) => signShard(deps, taken, { step, shardNo }, either),
  );
  await reduceStep(deps, taken, step, signal);
}

/** What the set steps so far know of a shard: their verdicts, samples that took a worker down, and how many samples it has. */
export async function listShardVerdicts(
  db: Db,
  runId: string,
  shardNo: number,
): Promise<{ verdicts: VerdictBlobs[]; poison: Poison[]; samples: number | undefined }> {
  const signatures = await listSignaturesOfShard(db, runId, shardNo);
  const poison = new Map<number, Poison>();
  for (const row of signatures) for (const item of JSON.parse(row.poison) as Poison[]) poison.set(item.ordinal, item);
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

/** Verdicts go by the number of a sample: where a file was damaged or mended since it was last read, they are others' verdicts. */
export function assertSameSamples(pieces: readonly Piece[], known: number | undefined, found: number): void {
  if (known === undefined || known === found) return;
  const paths = [...new Set(pieces.map(({ path }) => path))];
  throw new RunFailure(
    `${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ' …' : ''}: ${found} samples where there were ${known} when the run began: the stored bytes were damaged or mended since; start a new run`,
  );
}

async function signShard(
  deps: RunDriverDeps,
  taken: RunsTable,
  { step, shardNo }: { step: number; shardNo: number },
  signal: AbortSignal,
): Promise<void> {
  const { id, epoch } = taken;
  const shard = await getShard(deps.db.read, id, shardNo);
  const { verdicts, poison, samples: known } = await listShardVerdicts(deps.db.read, id, shardNo);
  const pieces = JSON.parse(shard.pieces) as Piece[];
  const onLost = (message: string): Promise<void> => deps.log(id, 'WARN', `Shard ${shardNo}: ${message}`);
  const treatment = runOf(taken).treatment;
  const { samples, signatures } = await runShard(
    deps,
    { treatment, pieces, verdicts, poison, signal, onLost },
    (job, either) => deps.pool.run('sign', { ...job, signStep: step }, either),
  );
  assertSameSamples(pieces, known, samples);
  const staged = await stage(deps.blobs, signatures, { isTemporary: true });
  try {
    await deps.blobs.flush();
    const row = { run_id: id, step, shard_no: shardNo, blob_id: staged.id, samples, poison: JSON.stringify(poison) };
    await deps.db.write(async (tx) => {
      const isOurs = await addToRun(tx, id, epoch, shard.bytes, noCounts);
      if (!isOurs || !(await insertSignatures(tx, row))) throw new RunLetGo('The shard is not ours to sign');
      await deps.blobs.adopt(tx, [staged]);
    });
  } finally {
    await deps.blobs.settle([staged]);
  }
  deps.changed(id);
}

async function reduceStep(deps: RunDriverDeps, taken: RunsTable, step: number, signal: AbortSignal): Promise<void> {
  const { id, epoch } = taken;
  await mkdir(deps.scratchDirectory, { recursive: true });
  const outputPath = join(deps.scratchDirectory, `${id}-${epoch}-${step}.drops`);
  const paths: Held[] = [];
  try {
    const shards = [];
    let firstRow = 0;
    for (const { blob_id, samples, file_part } of await listSignatures(deps.db.read, id, step)) {
      if (file_part === 0) firstRow = 0;
      shards.push({ signatures: await placeBlob(deps.blobs, blob_id, paths), firstRow });
      firstRow += samples;
    }
    const { treatment } = runOf(taken);
    const { count, dropped, notes } = await reduce(deps, { treatment, step, shards, outputPath }, signal);
    await keepVerdicts(deps, taken, step, await stageFile(deps.blobs, outputPath, signal));
    const operatorId = treatment.steps[step]?.operatorId ?? '';
    await deps.log(id, 'INFO', `Step ${step + 1}, ${operatorId}, compared ${count} samples and leaves ${dropped} out`);
    for (const message of notes) await deps.log(id, 'WARN', `Step ${step + 1}, ${operatorId}: ${message}`);
  } finally {
    for (const path of paths) await path.release();
    await rm(outputPath, { force: true });
  }
}

async function reduce(
  deps: RunDriverDeps,
  job: Parameters<typeof deps.pool.run<'reduce'>>[1],
  signal: AbortSignal,
): ReturnType<typeof deps.pool.run<'reduce'>> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await deps.pool.run('reduce', job, signal);
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      if (tries === reductionTries) {
        throw new RunFailure(`Step ${job.step + 1} could not compare the samples: ${error.message}`, { cause: error });
      }
    }
  }
}

async function keepVerdicts(deps: RunDriverDeps, taken: RunsTable, step: number, staged: StagedBlob): Promise<void> {
  const { id, epoch } = taken;
  try {
    await deps.blobs.flush();
    await deps.db.write(async (tx) => {
      const row = await lockRun(tx, id);
      if (row?.status !== 'RUNNING' || row.epoch !== epoch) throw new RunLetGo('The run is not ours to go on with');
      await insertVerdicts(tx, { run_id: id, step, blob_id: staged.id });
      await deps.blobs.adopt(tx, [staged]);
    });
  } finally {
    await deps.blobs.settle([staged]);
  }
  deps.changed(id);
}
