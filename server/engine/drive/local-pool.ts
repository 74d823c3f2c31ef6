import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../kernel/ids.ts';
import type { StagedBlob } from '../../storage/blobs/blob-store.ts';
import { locateBlob, withShard, type PieceSources } from './shards/piece-places.ts';
import { placeWork, type Locate } from '../orders/partition-jobs.ts';
import type { HeldPath, LocalBytes } from '../orders/shard.ts';
import { stage, stageOutcome } from './shards/shard-outcome.ts';
import { scannerOf } from './shards/table-cuts.ts';
import { stageFile } from './shards/staged-file.ts';
import type { Unpacker } from './unpacking/unpacker.ts';
import { giveBack } from '../orders/result-memory.ts';
import type { OrderUse, ThreadPool } from './pools/thread-pool.ts';
import type { PoolOrder, PoolTasks, WorkerPool } from './shards/worker-pool.ts';

export type LocalPoolDeps = Omit<PieceSources, 'unpacked'> & {
  threads: ThreadPool;
  unpacker: Pick<Unpacker, 'unpack'>;
  scratchDirectory: string;
};

type Result = PoolTasks[keyof PoolTasks]['result'];

/**
 * A pool of this process's threads: makes the bytes that a job names readable for a thread, and stages what the thread
 * returns.
 */
export function createLocalPool(deps: LocalPoolDeps): WorkerPool {
  return {
    size: deps.threads.size,
    run: <K extends keyof PoolTasks>(task: K, job: PoolTasks[K]['job'], signal: AbortSignal, use: OrderUse = {}) =>
      perform({ ...deps, threads: inTurn(deps.threads, use) }, { task, job } as PoolOrder, signal, use),
    close: () => deps.threads.close(),
  };
}

/** The same threads, whose orders are in the turn of one run. */
function inTurn(threads: ThreadPool, { turn }: OrderUse): ThreadPool {
  if (turn === undefined) return threads;
  return { ...threads, run: (task, job, signal, use) => threads.run(task, job, signal, { ...use, turn }) };
}

async function perform(
  deps: LocalPoolDeps,
  order: PoolOrder,
  signal: AbortSignal,
  { models }: OrderUse,
): Promise<Result> {
  const { threads, blobs, columns, unpacker } = deps;
  switch (order.task) {
    case 'setSteps':
    case 'referringSteps':
    case 'modelSteps':
    case 'parts':
    case 'keys':
      return threads.run(order.task, order.job, signal);
    case 'unpack':
      return unpacker.unpack(order.job.file, signal, threads);
    case 'scan':
      return scannerOf({ pool: threads, blobs })(order.job, signal);
    case 'cut':
      return columns.cut(order.job.file, { ...order.job.options, signal });
    case 'index':
      return index(deps, order.job, signal);
    case 'reduce':
      return reduce(deps, order.job, signal);
    case 'partition':
      return partition(deps, order.job, signal);
    case 'refer': {
      const { dataset } = order.job;
      const { signatures, ...read } = await withShard(deps, order.job, signal, (job) =>
        threads.run('refer', { ...job, dataset, limit: Infinity }, signal),
      );
      return { ...read, signatures: await stageNote(blobs, signatures) };
    }
    case 'sign': {
      const { signStep } = order.job;
      const { samples, signatures } = await withShard(deps, order.job, signal, (job) =>
        threads.run('sign', { ...job, signStep }, signal, { models }),
      );
      return { samples, signatures: await stageNote(blobs, signatures) };
    }
    case 'profile': {
      const { signatures, ...read } = await withShard(deps, order.job, signal, (job) =>
        threads.run('profile', { ...job, compares: false }, signal),
      );
      return { ...read, signatures: await stageNotes(blobs, signatures) };
    }
    case 'process':
      return process(deps, order.job, signal, models);
  }
}

async function process(
  deps: LocalPoolDeps,
  given: PoolTasks['process']['job'],
  signal: AbortSignal,
  models: OrderUse['models'],
): Promise<PoolTasks['process']['result']> {
  const result = await withShard(deps, given, signal, (job) => deps.threads.run('process', job, signal, { models }));
  try {
    const { counts, ledgerLines, skipped, failures, damages, lease } = result;
    const outcome = await stageOutcome(deps.blobs, given.pieces, given.outcome, result);
    return { counts, ledgerLines, skipped, failures, damages, outcome, ...(lease === undefined ? {} : { lease }) };
  } catch (error) {
    giveBack(result.lease);
    throw error;
  }
}

function index(
  { threads, blobs }: LocalPoolDeps,
  { shards }: PoolTasks['index']['job'],
  signal: AbortSignal,
): Promise<PoolTasks['index']['result']> {
  return withLocated(blobs, async (locate) => {
    const placed = [];
    for (const { keysId, ...shard } of shards) placed.push({ ...shard, keys: await locate(keysId) });
    return threads.run('index', { shards: placed }, signal);
  });
}

async function reduce(
  deps: LocalPoolDeps,
  { recipe, step, references, shards }: PoolTasks['reduce']['job'],
  signal: AbortSignal,
): Promise<PoolTasks['reduce']['result']> {
  const { result, staged } = await withOutput(deps, signal, (outputPath) =>
    withLocated(deps.blobs, async (locate) => {
      const place = async (all: typeof shards): Promise<{ signatures: LocalBytes; firstRow: number }[]> => {
        const placed = [];
        for (const { signaturesId, firstRow } of all) placed.push({ signatures: await locate(signaturesId), firstRow });
        return placed;
      };
      const job = { recipe, step, references: await place(references), shards: await place(shards), outputPath };
      return deps.threads.run('reduce', job, signal);
    }),
  );
  return { ...result, verdicts: staged };
}

async function partition(
  deps: LocalPoolDeps,
  { recipe, step, work }: PoolTasks['partition']['job'],
  signal: AbortSignal,
): Promise<PoolTasks['partition']['result']> {
  const { result, staged } = await withOutput(deps, signal, (outputPath) =>
    withLocated(deps.blobs, async (locate) => {
      const job = { recipe, step, work: await placeWork(work, locate), outputPath };
      return deps.threads.run('partition', job, signal);
    }),
  );
  return { facts: result, part: staged };
}

/** Stages the file that `work` writes. */
async function withOutput<T>(
  { blobs, scratchDirectory }: LocalPoolDeps,
  signal: AbortSignal,
  work: (outputPath: string) => Promise<T>,
): Promise<{ result: T; staged: StagedBlob }> {
  await mkdir(scratchDirectory, { recursive: true });
  const outputPath = join(scratchDirectory, `${newId()}.notes`);
  try {
    const result = await work(outputPath);
    const staged = await stageFile(blobs, outputPath, signal, { isTemporary: true });
    await flushOrSettle(blobs, staged);
    return { result, staged };
  } finally {
    await rm(outputPath, { force: true });
  }
}

/** Holds the bytes of blobs on this machine while `work` runs. */
async function withLocated<T>(
  blobs: LocalPoolDeps['blobs'],
  work: (locate: Locate<string, LocalBytes>) => Promise<T>,
): Promise<T> {
  const paths: HeldPath[] = [];
  try {
    return await work((blobId, ranges) => locateBlob(blobs, blobId, paths, ranges));
  } finally {
    for (const path of paths) await path.release();
  }
}

/** Stages intermediate data of a run: a blob for each step. */
async function stageNotes(
  blobs: LocalPoolDeps['blobs'],
  notes: readonly { step: number; bytes: Uint8Array }[],
): Promise<{ step: number; staged: StagedBlob }[]> {
  const written: { step: number; staged: StagedBlob }[] = [];
  try {
    for (const { step, bytes } of notes) {
      written.push({ step, staged: await stage(blobs, bytes, { isTemporary: true }) });
    }
    await blobs.flush();
    return written;
  } catch (error) {
    await blobs.settle(written.map(({ staged }) => staged));
    throw error;
  }
}

async function stageNote(blobs: LocalPoolDeps['blobs'], bytes: Uint8Array): Promise<StagedBlob> {
  const staged = await stage(blobs, bytes, { isTemporary: true });
  await flushOrSettle(blobs, staged);
  return staged;
}

async function flushOrSettle(blobs: LocalPoolDeps['blobs'], staged: StagedBlob): Promise<void> {
  try {
    await blobs.flush();
  } catch (error) {
    await blobs.settle([staged]);
    throw error;
  }
}
