import type { SamplePart } from '../../../operators/index.ts';
import type { SetSteps } from '../sets/set-steps.ts';
import type { SamplePlace } from '../sets/signatures.ts';
import type { ShardJob } from '../../orders/shard.ts';
import type { Chain, ChainInput, Judgement, Trace } from './chain.ts';
import { judgeTogether, type PlacedInput, type TogetherWatch } from './judge-together.ts';
import type { SampleSource } from '../../orders/sample-parts.ts';
import type { SampleProgress } from './sample-progress.ts';

/** Adds a sample as read; all its parts except media are read at once. */
export type AddSample = (place: SamplePlace, input: ChainInput, trace?: Trace) => void;

/** Callbacks for the progress of the samples. */
export type AheadWatch = Pick<TogetherWatch, 'passed' | 'judged'>;

/**
 * Judges the samples that `read` adds, for chains with batch steps. The code that writes results reads samples one by
 * one and can't wait, so they are read twice: first to be judged here, then to be written by their judgements, which
 * are returned by ordinal.
 */
export async function judgeAhead(
  { parts, together }: Pick<Chain, 'parts' | 'together'>,
  { suspects }: Pick<ShardJob, 'suspects'>,
  { sets, progress, watch = {} }: { sets: SetSteps; progress: SampleProgress; watch?: AheadWatch },
  read: (add: AddSample) => void,
): Promise<ReadonlyMap<number, Judgement>> {
  if (together === undefined) throw new RangeError('No step takes samples in batches');
  const samples: PlacedInput[] = [];
  try {
    read((place, input, trace) => {
      samples.push({ place, input: heldInput(input, parts), ...(trace === undefined ? {} : { trace }) });
    });
    const judgements = await judgeTogether(together, samples, {
      enter(place) {
        progress.batch(-1, place.ordinal, place.ordinal);
        sets.enter(place);
      },
      batch: progress.batch,
      ...watch,
      isAlone: (ordinal) => suspects !== undefined && ordinal >= suspects.from && ordinal <= suspects.to,
    });
    return new Map(samples.map(({ place }, index) => [place.ordinal, judgementAt(judgements, index)]));
  } finally {
    progress.batch(-1, -1, -1);
    await together.close();
  }
}

function judgementAt(judgements: readonly Judgement[], index: number): Judgement {
  const judgement = judgements[index];
  if (judgement === undefined) throw new RangeError(`Sample ${index} has no judgement`);
  return judgement;
}

/**
 * A row's bytes are in memory only until the next rows are read, so its parts are read now; media are read from their
 * file.
 */
function heldInput(input: ChainInput, parts: ReadonlySet<SamplePart>): ChainInput {
  const { source } = input;
  if (source === undefined) return input;
  const { fields, columns, messages, ...rest } = source;
  const held: SampleSource = {
    ...rest,
    ...(fields !== undefined && parts.has('fields') ? { fields: heldPart(fields) } : {}),
    ...(columns !== undefined && parts.has('columns') ? { columns: heldPart(columns) } : {}),
    ...(messages !== undefined && parts.has('messages') ? { messages: heldPart(messages) } : {}),
  };
  return { ...input, source: held };
}

/** Reads a part now; an error is thrown later, to the step that reads the part. */
function heldPart<T>(read: () => T): () => T {
  try {
    const value = read();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
