import { foreign, reasonWith } from '../../../kernel/sentences/index.ts';
import { drop, type GivenSample, type Outcome, type WholeSet } from '../../../operators/index.ts';
import { isWritten, type ShardVerdict } from './verdict-writer.ts';
import { createSignatureCollector, type SamplePlace, type SignatureCollector } from './signatures.ts';

/** The result of an earlier pass over a shard for one of its set steps. */
export type SetVerdicts = {
  step: number;
  /** Sample of each signature, in order. */
  ordinals: Uint32Array;
  drops: ReadonlyMap<number, ShardVerdict>;
};

/** Set steps of a chain in one pass over a shard. */
export type SetSteps = {
  /** Sets the sample that passes through the chain next. */
  enter(place: SamplePlace): void;
  /** Returns the function that a whole-set step applies to each sample that reaches it. */
  setStep(step: number, whole: WholeSet): (sample: GivenSample) => Outcome;
  /** The signatures recorded for the signing step of this pass. */
  readonly collector: SignatureCollector | undefined;
};

/** In a signing pass, no sample continues after the signing step. */
const recordedDrop = drop(foreign('taken down'));

/** At most one set step signs; the verdicts of the set steps before it are known. */
export function createSetSteps(signStep: number | null, verdicts: readonly SetVerdicts[]): SetSteps {
  let place: SamplePlace = { ordinal: 0, piece: 0, row: null, path: '' };
  let collector: SignatureCollector | undefined;

  function sign(whole: WholeSet): (sample: GivenSample) => Outcome {
    const own = createSignatureCollector(whole);
    collector = own;
    return (sample) => {
      own.take(place, sample);
      return recordedDrop;
    };
  }

  function judge({ ordinals, drops }: SetVerdicts, whole: WholeSet): (sample: GivenSample) => Outcome {
    let at = 0;
    return (sample) => {
      while ((ordinals[at] ?? Infinity) < place.ordinal) at += 1;
      if (ordinals[at] !== place.ordinal) throw whyUnsigned(whole, sample, place.path);
      const verdict = drops.get(at);
      at += 1;
      if (verdict === undefined) return sample;
      if (isWritten(verdict)) return { columns: verdict[1] };
      const [, score, reason, sentence] = verdict;
      return drop(reasonWith(reason, sentence), score);
    };
  }

  return {
    enter(next) {
      place = next;
    },
    setStep(step, whole) {
      if (step === signStep) return sign(whole);
      const known = verdicts.find((verdict) => verdict.step === step);
      if (known !== undefined) return judge(known, whole);
      return () => {
        throw new Error('The step has no verdicts yet');
      };
    },
    get collector() {
      return collector;
    },
  };
}

/** Why a sample was not signed: the step fails on it, or an earlier step failed on it then but no longer does. */
function whyUnsigned(whole: WholeSet, sample: GivenSample, path: string): Error {
  try {
    whole.sign(sample, new Uint32Array(whole.keys), new Uint32Array(whole.words), path);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  return new Error('The sample had not come this far when all were compared');
}
