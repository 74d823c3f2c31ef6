import {
  isSetOperator,
  sampleParts,
  type GivenSample,
  type Operator,
  type Outcome,
  type SampleChanges,
  type SamplePart,
  type WholeSet,
} from '../../operators/index.ts';
import { SetupError } from '../setup-error.ts';
import {
  createSampleParts,
  partsOf,
  type FlowingSample,
  type SampleSource,
  type StepOutcome,
  type WrittenParts,
} from './sample-parts.ts';

/** One step of a pipeline as a run pins it. */
export type Step = {
  readonly operatorId: string;
  readonly version: string;
  readonly params: Readonly<Record<string, unknown>>;
};

export type Verdict = 'KEPT' | 'CHANGED' | 'DROPPED' | 'FAILED';

/** What became of one sample: its texts (none when dropped), and where and why when it was dropped or failed. */
export type Judgement = {
  readonly verdict: Verdict;
  readonly texts: readonly string[];
  /** What the steps wrote beside each of those texts; missing where they wrote nothing but texts. */
  readonly written?: readonly (WrittenParts | undefined)[];
  /** Index of the step that dropped it or failed. */
  readonly step: number | null;
  readonly reason: string | null;
  /** The figures that steps judged by, in the order of the steps: a list, for looking through an object's keys costs more than a short row. */
  readonly scores: readonly StepScore[] | null;
};

/** `name`: of a figure that the step gave a name; the one that it judged by has none. */
export type StepScore = { readonly step: number; readonly score: number; readonly name?: string };

/** What one step did, and for how long. */
export type StepFigures = { in: number; changed: number; dropped: number; failed: number; ms: number };

/** Hears what each step made of a sample; of one that failed there, why. */
export type Trace = (step: number, before: FlowingSample, outcome: StepOutcome | { problem: string }) => void;

/** Several operators as one function over a sample. */
export type Chain = {
  judge(text: string, source: SampleSource | undefined, trace?: Trace): Judgement;
  /** Parts of a sample that any of its steps reads or writes. */
  readonly parts: ReadonlySet<SamplePart>;
  readonly figures: readonly StepFigures[];
};

class StepFailure extends Error {
  readonly step: number;
  constructor(step: number, message: string) {
    super(message);
    this.step = step;
  }
}

export type ChainOptions = {
  operators: readonly Operator[];
  steps: readonly Step[];
  /** Hears which step is about to see the sample. */
  beforeStep: (step: number) => void;
  /** What a step over the whole set does with a sample when it gets there. */
  setStep: (step: number, whole: WholeSet) => (sample: GivenSample) => Outcome;
};

/** Prepares the steps. Throws when an operator isn't there in that version. */
export function createChain({ operators, steps, beforeStep, setStep }: ChainOptions): Chain {
  const used = steps.map((step) => getOperator(operators, step));
  const prepared = used.map((operator, index) => {
    const params = steps[index]?.params ?? {};
    return isSetOperator(operator) ? setStep(index, operator.all(params)) : operator.each(params);
  });
  const figures = steps.map(() => ({ in: 0, changed: 0, dropped: 0, failed: 0, ms: 0 }));
  const parts = partsOf(used);
  // Most chains work on texts alone: what an operator answers is what the next one is given.
  const views = [...parts].every((part) => part === 'text') ? undefined : createSampleParts(used);
  const maySetText = used.map(({ writes }) => writes.includes('text'));

  function call(index: number, sample: FlowingSample, trace: Trace | undefined): StepOutcome {
    const each = prepared[index];
    const figure = figures[index];
    if (each === undefined || figure === undefined) throw new RangeError(`There is no step ${index}`);
    beforeStep(index);
    figure.in += 1;
    const started = performance.now();
    try {
      const outcome = views === undefined ? textOutcome(each(sample)) : anyOutcome(index, sample, each);
      if (isDrop(outcome)) figure.dropped += 1;
      else if (isChange(outcome, sample)) {
        if (maySetText[index] === false && views === undefined) throw new TypeError(undeclared);
        figure.changed += 1;
      }
      trace?.(index, sample, outcome);
      return outcome;
    } catch (error) {
      figure.failed += 1;
      const problem = error instanceof Error ? error.message : String(error);
      trace?.(index, sample, { problem });
      throw new StepFailure(index, problem);
    } finally {
      figure.ms += performance.now() - started;
    }
  }

  function anyOutcome(index: number, sample: FlowingSample, each: (sample: GivenSample) => Outcome): StepOutcome {
    if (views === undefined) throw new RangeError('The steps work on texts alone');
    const given = views.viewOf(index, sample);
    const outcome = each(given);
    if (outcome === given) return sample;
    checkOutcome(outcome, isAnySample);
    return views.outcomeOf(index, sample, given, outcome);
  }

  return {
    figures,
    parts,
    judge(text, source, trace) {
      const texts: string[] = [];
      let written: (WrittenParts | undefined)[] | undefined;
      let step: number | null = null;
      let reason: string | null = null;
      let scores: StepScore[] | null = null;

      const walk = (start: FlowingSample, first: number): void => {
        let sample = start;
        for (let index = first; index < prepared.length; index += 1) {
          const outcome = call(index, sample, trace);
          if ('verdict' in outcome) {
            if (outcome.score !== undefined) scores = setScore(scores, { step: index, score: outcome.score });
            if (outcome.verdict === 'drop') {
              step = index;
              reason = outcome.reason;
              return;
            }
            if (outcome.sample.scores !== sample.scores) scores = setNamedScores(scores, index, sample, outcome.sample);
            sample = outcome.sample;
          } else if (isOne(outcome)) {
            if (outcome.scores !== sample.scores) scores = setNamedScores(scores, index, sample, outcome);
            sample = outcome;
          } else {
            for (const part of outcome) {
              if (part.scores !== sample.scores) scores = setNamedScores(scores, index, sample, part);
              walk(part, index + 1);
            }
            if (outcome.length === 0) {
              step = index;
              reason = 'split into nothing';
            }
            return;
          }
        }
        texts.push(sample.text);
        if (sample.written !== undefined) (written ??= [])[texts.length - 1] = sample.written;
      };

      try {
        walk(source === undefined || views === undefined ? { text } : { text, source }, 0);
      } catch (error) {
        if (!(error instanceof StepFailure)) throw error;
        return { verdict: 'FAILED', texts: [], step: error.step, reason: error.message, scores };
      }
      if (texts.length === 0) return { verdict: 'DROPPED', texts, step, reason, scores };
      const isSame = texts.length === 1 && texts[0] === text && written === undefined;
      const judgement = { verdict: isSame ? 'KEPT' : 'CHANGED', texts, step: null, reason: null, scores } as const;
      return written === undefined ? judgement : { ...judgement, written };
    },
  };
}

/** Parts of a split sample are judged by the same steps: the last one's figure stays. */
function setScore(scores: StepScore[] | null, next: StepScore): StepScore[] {
  if (scores === null) return [next];
  let at = scores.length;
  while (at > 0 && (scores[at - 1]?.step ?? -1) > next.step) at -= 1;
  for (let same = at - 1; scores[same]?.step === next.step; same -= 1) {
    if (scores[same]?.name !== next.name) continue;
    scores[same] = next;
    return scores;
  }
  scores.splice(at, 0, next);
  return scores;
}

/** The figures that a step gave names. */
function setNamedScores(
  scores: StepScore[] | null,
  step: number,
  before: FlowingSample,
  after: FlowingSample,
): StepScore[] | null {
  let all = scores;
  for (const [name, score] of Object.entries(after.scores ?? {})) {
    if (before.scores?.[name] !== score) all = setScore(all, { step, score, name });
  }
  return all;
}

/** The operator of a step; throws when this service has no such operator or another version of it. */
export function getOperator(operators: readonly Operator[], step: Pick<Step, 'operatorId' | 'version'>): Operator {
  const operator = operators.find(({ id }) => id === step.operatorId);
  if (operator === undefined) throw new SetupError(`There is no operator ${step.operatorId}`);
  if (operator.version !== step.version) {
    throw new SetupError(`The run wants ${step.operatorId} ${step.version}, this service has ${operator.version}`);
  }
  return operator;
}

const undeclared = 'The operator wrote text, which it does not declare';

/** What an operator over texts answers goes on as it is. */
function textOutcome(outcome: Outcome): StepOutcome {
  checkOutcome(outcome, isTextSample);
  return outcome as StepOutcome;
}

function isOne(outcome: StepOutcome): outcome is FlowingSample {
  return 'text' in outcome;
}

function isDrop(outcome: StepOutcome): boolean {
  return 'verdict' in outcome && outcome.verdict === 'drop';
}

function isChange(outcome: StepOutcome, sample: FlowingSample): boolean {
  if ('verdict' in outcome) return outcome.verdict === 'keep' && !isSame(outcome.sample, sample);
  return !isOne(outcome) || !isSame(outcome, sample);
}

/** Whether nothing of a sample was changed that can be written. */
export function isSame(one: FlowingSample, other: FlowingSample): boolean {
  return one.text === other.text && one.written === other.written;
}

/** An operator may come from elsewhere: its answer is checked before anything relies on it. */
function checkOutcome(outcome: unknown, isSample: (value: unknown) => boolean): asserts outcome is Outcome {
  if (typeof outcome === 'object' && outcome !== null) {
    if (Array.isArray(outcome) ? outcome.every(isSample) : isSample(outcome)) return;
    const { verdict, reason, sample, score } = outcome as Record<string, unknown>;
    const scored = score === undefined || typeof score === 'number';
    if (verdict === 'drop' && typeof reason === 'string' && scored) return;
    if (verdict === 'keep' && isSample(sample) && scored) return;
  }
  throw new TypeError('The operator answered with neither a sample nor a verdict');
}

function isTextSample(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}

/** A sample has some part; of what kind each is, is looked at where it is taken over. */
function isAnySample(value: unknown): value is SampleChanges {
  return (
    typeof value === 'object' && value !== null && !('verdict' in value) && sampleParts.some((part) => part in value)
  );
}
