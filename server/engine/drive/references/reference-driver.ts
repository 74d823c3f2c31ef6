import { type Reason, runSentences } from '../../../kernel/sentences/index.ts';
import { RunFailure, RunLetGo } from '../../../runs/index.ts';
import type { Drive } from '../drive-context.ts';
import type { InputFile, Job } from '../job.ts';
import {
  completeReferenceShard,
  deleteReferenceShards,
  getReferenceShard,
  insertReferenceShards,
  listReferenceShards,
  listUnreadReferenceShards,
  sumReferences,
  type PlannedReferenceRow,
} from '../queries/references.ts';
import { fieldsOf } from '../../orders/row-texts.ts';
import { acquirePlaceFor } from '../shards/shard-places.ts';
import { workThrough } from '../shards/shard-queue.ts';
import { planShards } from '../shards/plan.ts';
import { runShard } from '../shards/shard-runner.ts';
import type { Piece } from '../../orders/shard.ts';
import { createTableCutter, cutColumn } from '../shards/table-cuts.ts';
import { unpackInputs } from '../unpacking/unpacked-inputs.ts';
import type { SharedIndex } from '../../orders/shared-index.ts';
import { nameOfReference, recipeOfReference } from './reference-naming.ts';
import type { ReferringStep } from '../../orders/reference-jobs.ts';
import type { PoolTasks } from '../shards/worker-pool.ts';

/** Shard rows per planning transaction. */
const plannedAtOnce = 20;

/**
 * Cuts the datasets that the steps compare with into shards; returns their size in bytes. An interrupted plan is made
 * again.
 */
export async function planReferences(
  drive: Drive,
  job: Pick<Job, 'reference'>,
  referring: readonly ReferringStep[],
): Promise<number> {
  const { run, context, plan, pool } = drive;
  const { signal } = context;
  await context.checkpoint({}, async (tx) => {
    await deleteReferenceShards(tx, run.id);
  });
  let shardNo = 0;
  let bytes = 0;
  let waiting: PlannedReferenceRow[] = [];
  const store = async (): Promise<void> => {
    signal.throwIfAborted();
    const rows = waiting;
    waiting = [];
    if (rows.length > 0) await context.checkpoint({}, (tx) => insertReferenceShards(tx, run.id, rows));
  };
  for (const { step, references } of referring) {
    for (const [number, reference] of references.entries()) {
      const recipe = recipeOfReference(run.recipe, step, reference);
      const source = await job.reference(reference);
      const options = {
        ...plan,
        cutTable: createTableCutter({ scan: (job, ended) => pool.run('scan', job, ended), plan }, { recipe, signal }),
        cutColumn: (file: InputFile) => {
          const cutting = { fields: fieldsOf(recipe, file.path), where: [], stepBytes: plan.shardBytes };
          return cutColumn(pool, { file, options: cutting }, signal);
        },
      };
      for await (const shard of planShards(unpackInputs(drive, source.files), options)) {
        bytes += shard.bytes;
        waiting.push({
          shard_no: shardNo,
          step,
          reference: number,
          pieces: JSON.stringify(shard.pieces),
          file_part: shard.filePart,
          bytes: shard.bytes,
        });
        shardNo += 1;
        if (waiting.length === plannedAtOnce) await store();
      }
    }
  }
  await store();
  return bytes;
}

/**
 * Reads the datasets that the steps compare with, from the last checkpoint on; the operator's records of each shard are
 * a checkpoint. Throws RunFailure if no sample of a dataset can be read.
 */
export async function driveReferences(
  drive: Drive,
  job: Pick<Job, 'reference'>,
  referring: readonly ReferringStep[],
): Promise<void> {
  const { db, run, context } = drive;
  if (referring.length === 0) return;
  const before = await sumReferences(db.read, run.id);
  const phaseSamples = before.reduce((sum, { samples }) => sum + samples, 0);
  await context.checkpoint({ phase: 'REFER', phaseSamples });
  const [waiting] = await listUnreadReferenceShards(db.read, run.id, -1, 1);
  const problems = new Map<string, Reason>();
  await workThrough(
    {
      isFirstAlone: context.isSuspect,
      listWaiting: (after, limit) => listUnreadReferenceShards(db.read, run.id, after, limit),
      async acquire(shardNo) {
        const { pieces } = await getReferenceShard(db.read, run.id, shardNo);
        return acquirePlaceFor(drive, JSON.parse(pieces) as Piece[]);
      },
      work: (shardNo, signal) => readShard(drive, { job, referring, shardNo, problems }, signal),
    },
    context.signal,
  );
  const sums = await sumReferences(db.read, run.id);
  for (const { step, references } of referring) {
    const operator = run.recipe.steps[step]?.operatorId ?? '';
    for (const [number, reference] of references.entries()) {
      const dataset = nameOfReference(await job.reference(reference), reference);
      const sum = sums.find((one) => one.step === step && one.reference === number);
      const { samples = 0, unread = 0, skipped = 0 } = sum ?? {};
      const about = { step: step + 1, operator, dataset };
      if (samples === 0) throw new RunFailure(runSentences.REFERENCE_EMPTY.reason(about));
      const problem = problems.get(`${step}-${number}`);
      if (samples === unread) {
        throw new RunFailure(
          runSentences.REFERENCE_UNREADABLE.reason({ ...about, samples, why: problem ?? 'see the log' }),
        );
      }
      // A continued run has already logged this.
      if (waiting === undefined) continue;
      await context.log('INFO', runSentences.REFERENCE_READ.reason({ ...about, samples: samples - unread }));
      if (unread > 0) await context.log('WARN', runSentences.REFERENCE_UNREAD.reason({ ...about, unread, samples }));
      if (skipped > 0) await context.log('WARN', runSentences.REFERENCE_SKIPPED.reason({ ...about, files: skipped }));
    }
  }
}

async function readShard(
  drive: Drive,
  {
    job,
    referring,
    shardNo,
    problems,
  }: {
    job: Pick<Job, 'reference'>;
    referring: readonly ReferringStep[];
    shardNo: number;
    /** Receives one problem per dataset that has any. */
    problems: Map<string, Reason>;
  },
  signal: AbortSignal,
): Promise<void> {
  const { db, blobs, pool, run, context } = drive;
  const shard = await getReferenceShard(db.read, run.id, shardNo);
  const reference = referring.find(({ step }) => step === shard.step)?.references[shard.reference];
  if (reference === undefined) throw new RangeError(`Step ${shard.step} names no dataset ${shard.reference}`);
  const dataset = nameOfReference(await job.reference(reference), reference);
  const recipe = recipeOfReference(run.recipe, shard.step, reference);
  const pieces = JSON.parse(shard.pieces) as Piece[];
  const onLost = (note: Reason): Promise<void> =>
    context.log('WARN', runSentences.REFERENCE_NOTE.reason({ dataset, note }));
  const { signatures, examples, ...read } = await runShard(
    { runId: run.id, recipe, pieces, verdicts: [], poison: [] },
    onLost,
    (given) => pool.run('refer', { ...given, dataset }, signal),
  );
  const [example] = examples;
  if (example !== undefined) {
    const why = runSentences.FILE_UNREADABLE.reason({ path: example.path, why: example.problem });
    problems.set(`${shard.step}-${shard.reference}`, why);
  }
  try {
    const { samples, rows, lines, unread, skipped } = read;
    const done = { blob_id: signatures.id, samples, rows, lines, unread, skipped };
    await context.checkpoint({ done: shard.bytes, phaseSamples: samples }, async (tx) => {
      if (!(await completeReferenceShard(tx, { runId: run.id, shardNo }, done))) {
        throw new RunLetGo('The shard is read already');
      }
      await blobs.adopt(tx, [signatures]);
    });
  } finally {
    await blobs.settle([signatures]);
  }
  // In a file of several shards, a row's number within its shard is meaningless to users.
  for (const { path, row, problem } of examples) {
    const place = row === null || shard.file_part > 0 ? path : `${path}, row ${row + 1}`;
    await context.log('WARN', runSentences.REFERENCE_SAMPLE_UNREAD.reason({ dataset, place, why: problem }));
  }
}

/** The signatures of the datasets that a whole-set step compares with, in order. */
export async function listReferenceSignatures(
  { db, run }: Pick<Drive, 'db' | 'run'>,
  step: number,
): Promise<(PoolTasks['reduce']['job']['references'][number] & { samples: number })[]> {
  const references = [];
  let firstRow = 0;
  for (const { blob_id, rows, file_part } of await listReferenceShards(db.read, run.id, step)) {
    if (file_part === 0) firstRow = 0;
    references.push({ signaturesId: blob_id, firstRow, samples: rows });
    firstRow += rows;
  }
  return references;
}

/** The indexes of the steps over single samples that compare with other datasets, by step. */
export async function indexReferences(
  { db, pool, run, context }: Drive,
  job: Pick<Job, 'reference'>,
  referring: readonly ReferringStep[],
  setSteps: readonly number[],
): Promise<ReadonlyMap<number, SharedIndex>> {
  const indexes = new Map<number, SharedIndex>();
  for (const { step, references } of referring) {
    if (setSteps.includes(step)) continue;
    const names: string[] = [];
    for (const one of references) names.push(nameOfReference(await job.reference(one), one));
    const shards: PoolTasks['index']['job']['shards'][number][] = [];
    let next = { firstRow: 0, firstLine: 0 };
    for (const shard of await listReferenceShards(db.read, run.id, step)) {
      if (shard.file_part === 0) next = { firstRow: 0, firstLine: 0 };
      shards.push({ dataset: names[shard.reference] ?? '', keysId: shard.blob_id, ...next });
      next = { firstRow: next.firstRow + shard.rows, firstLine: next.firstLine + shard.lines };
    }
    indexes.set(step, await pool.run('index', { shards }, context.signal));
  }
  return indexes;
}
