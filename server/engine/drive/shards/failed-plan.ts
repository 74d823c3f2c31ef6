import { runSentences } from '../../../kernel/sentences/index.ts';
import { RunFailure, type Run } from '../../../runs/index.ts';
import type { Drive } from '../drive-context.ts';
import type { InputFile } from '../job.ts';
import { recipeOf } from '../recipe-run.ts';
import { planShards, type PlannedShard, type PlanOptions } from './plan.ts';
import type { Piece } from '../../orders/shard.ts';

/** Where a sample failed: its file, and where its row begins in it. */
export type FailedPlace = { fileId: string; place: number | 'file' };

/**
 * Plans the failed samples of an earlier run: the shards of the files that contain them, with only these rows as
 * samples. Both runs read the same version, so files and rows come in the same order, and only the places of one shard
 * are held in memory. The ledgers are read twice: to choose the files, and to choose the rows of each part.
 */
export async function* planFailed(
  { db, ledgers, runs, run }: Pick<Drive, 'db' | 'ledgers' | 'runs' | 'run'>,
  {
    failedOf,
    inputs,
    unpack,
  }: {
    failedOf: string;
    inputs: AsyncIterable<readonly InputFile[]>;
    /** Unpacks compressed files. */
    unpack: (inputs: AsyncIterable<readonly InputFile[]>) => AsyncIterable<readonly InputFile[]>;
  },
  options: PlanOptions,
): AsyncGenerator<PlannedShard> {
  const former = await runs.findRun(db.read, run.area, run.taskId, failedOf);
  if (former === undefined) throw new RunFailure(runSentences.FORMER_DELETED.reason({}));
  // With KEEP, failed samples that were not set aside are in the target.
  const isOnlyAside = recipeOf(former).onError === 'KEEP';

  async function* placesIn(run: Pick<Run, 'id' | 'details'>): AsyncGenerator<FailedPlace> {
    for await (const { samples } of ledgers.failed(run)) {
      for (const { fileId, place, aside } of samples) {
        if (isOnlyAside && aside === null) continue;
        if (place === undefined) {
          throw new RunFailure(runSentences.FORMER_TOO_OLD.reason({}));
        }
        yield { fileId, place };
      }
    }
  }

  yield* pickRows(planShards(unpack(filesIn(inputs, placesIn(former))), options), placesIn(former));
}

/** The files that hold failed samples; both are in path order. */
export async function* filesIn(
  inputs: AsyncIterable<readonly InputFile[]>,
  places: AsyncGenerator<FailedPlace>,
): AsyncGenerator<InputFile[]> {
  let next = await places.next();
  for await (const slice of inputs) {
    const chosen: InputFile[] = [];
    for (const file of slice) {
      if (next.done === true || next.value.fileId !== file.fileId) continue;
      chosen.push(file);
      while (next.done !== true && next.value.fileId === file.fileId) next = await places.next();
    }
    if (chosen.length > 0) yield chosen;
  }
}

/** The shards with the failed rows of each piece as its only samples. A file that failed as a whole stays whole. */
export async function* pickRows(
  shards: AsyncIterable<PlannedShard>,
  places: AsyncGenerator<FailedPlace>,
): AsyncGenerator<PlannedShard> {
  let next = await places.next();
  let wholeFileId: string | undefined;
  for await (const shard of shards) {
    const pieces: Piece[] = [];
    for (const piece of shard.pieces) {
      const only: number[] = [];
      while (next.done !== true && next.value.fileId === piece.fileId && isWithin(piece, next.value.place)) {
        if (next.value.place === 'file') wholeFileId = piece.fileId;
        else only.push(next.value.place);
        next = await places.next();
      }
      pieces.push(piece.fileId === wholeFileId ? piece : { ...piece, only });
    }
    yield { ...shard, pieces };
  }
  if (next.done !== true) {
    throw new RunFailure(runSentences.FORMER_FILES_GONE.reason({ file: next.value.fileId }));
  }
}

function isWithin({ range, column, sizeBytes }: Piece, place: FailedPlace['place']): boolean {
  // The sample for the missing end of a truncated table has its place at the end.
  if (range?.to === sizeBytes) return true;
  return place === 'file' || place < (range?.to ?? column?.to ?? Infinity);
}
