import { runSentences, type Reason } from '../../kernel/sentences/index.ts';
import type { Drive } from './drive-context.ts';
import type { InputFile, Job } from './job.ts';
import { deleteShards, insertShards } from './queries/shards.ts';
import { requireInput } from './purged-input.ts';
import { fieldsOf } from '../orders/row-texts.ts';
import { needWholeRows } from '../orders/sample-parts.ts';
import { planFailed } from './shards/failed-plan.ts';
import { planShards, type PlannedShard, type PlanOptions, type Unreadable } from './shards/plan.ts';
import { createTableCutter, cutColumn as cutColumnOf } from './shards/table-cuts.ts';
import { unpackInputs } from './unpacking/unpacked-inputs.ts';

/** Shard rows per planning transaction: keeps their JSON within a few megabytes. */
const plannedAtOnce = 20;

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
  const damages: Reason[] = [];
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
  if (shardNo === 0 && failedOf === null) await context.log('WARN', runSentences.NO_INPUT.reason({}));
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
  if (failedOf !== null && setSteps > 0) await context.log('WARN', runSentences.COMPARED_ALONE.reason({}));
}

/** Adds the path to the problem of an erased file, which lacks it. */
function withPath(path: string, problem: Reason): Reason {
  return problem.sentence?.code === 'CONTENT_ERASED'
    ? runSentences.FILE_UNREADABLE.reason({ path, why: problem })
    : problem;
}

/** Messages about files that are written in another format or compression than their source. */
function describeRepacked({ arrow, bzip2 }: { arrow: number; bzip2: number }): Reason[] {
  return [
    ...(arrow > 0 ? [runSentences.ARROW_AS_JSON_LINES.reason({ files: arrow })] : []),
    ...(bzip2 > 0 ? [runSentences.BZIP2_AS_GZIP.reason({ files: bzip2 })] : []),
  ];
}
