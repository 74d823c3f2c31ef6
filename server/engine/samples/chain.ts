import { isSetOperator, type Operator, type Outcome, type Sample, type WholeSet } from '../../operators/index.ts';
import { SetupError } from '../setup-error.ts';

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
  /** Index of the step that dropped it or failed. */
  readonly step: number | null;
  readonly reason: string | null;
  /** The figures that steps judged by, in the order of the steps: a list, for looking through an object's keys costs more than a short row. */
  readonly scores: readonly StepScore[] | null;
};

export type StepScore = { readonly step: number; readonly score: number };

/** What one step did, and for how long. */
export type StepFigures = { in: number; changed: number; dropped: number; failed: number; ms: number };

/** Hears what each step made of a sample; of one that failed there, why. */
export type Trace = (step: number, before: string, outcome: Outcome | { problem: string }) => void;

/** Several operators as one function over a sample. */
export type Chain = {
  judge(text: string, trace?: Trace): Judgement;
  /** Index of the step at work. */
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
  setStep: (step: number, whole: WholeSet) => (sample: Sample) => Outcome;
};

/** Prepares the steps. Throws when an operator isn't there in that version. */
export function createChain({ operators, steps, beforeStep, setStep }: ChainOptions): Chain {
  const prepared = steps.map((step, index) => {
    const operator = getOperator(operators, step);
    return isSetOperator(operator) ? setStep(index, operator.all(step.params)) : operator.each(step.params);
  });
  const figures = steps.map(() => ({ in: 0, changed: 0, dropped: 0, failed: 0, ms: 0 }));

  function call(index: number, sample: Sample, trace: Trace | undefined): Outcome {
    const each = prepared[index];
    const figure = figures[index];
    if (each === undefined || figure === undefined) throw new RangeError(`There is no step ${index}`);
    beforeStep(index);
    figure.in += 1;
    const started = performance.now();
    try {
      const outcome = each(sample);
      checkOutcome(outcome);
      if (isDrop(outcome)) figure.dropped += 1;
      else if (isChange(outcome, sample)) figure.changed += 1;
      trace?.(index, sample.text, outcome);
      return outcome;
    } catch (error) {
      figure.failed += 1;
      const problem = error instanceof Error ? error.message : String(error);
      trace?.(index, sample.text, { problem });
      throw new StepFailure(index, problem);
    } finally {
      figure.ms += performance.now() - started;
    }
  }

  return {
    figures,
    judge(text, trace) {
      const texts: string[] = [];
      let step: number | null = null;
      let reason: string | null = null;
      let scores: StepScore[] | null = null;

      const walk = (start: Sample, first: number): void => {
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
            sample = outcome.sample;
          } else if (isOne(outcome)) {
            sample = outcome;
          } else {
            for (const part of outcome) walk(part, index + 1);
            if (outcome.length === 0) {
              step = index;
              reason = 'split into nothing';
            }
            return;
          }
        }
        texts.push(sample.text);
      };

      try {
        walk({ text }, 0);
      } catch (error) {
        if (!(error instanceof StepFailure)) throw error;
        return { verdict: 'FAILED', texts: [], step: error.step, reason: error.message, scores };
      }
      if (texts.length === 0) return { verdict: 'DROPPED', texts, step, reason, scores };
      const verdict = texts.length === 1 && texts[0] === text ? 'KEPT' : 'CHANGED';
      return { verdict, texts, step: null, reason: null, scores };
    },
  };
}

/** Parts of a split sample are judged by the same steps: the last one's figure stays. */
function setScore(scores: StepScore[] | null, next: StepScore): StepScore[] {
  if (scores === null) return [next];
  let at = scores.length;
  while (at > 0 && (scores[at - 1]?.step ?? -1) > next.step) at -= 1;
  if (scores[at - 1]?.step === next.step) scores[at - 1] = next;
  else scores.splice(at, 0, next);
  return scores;
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

function isOne(outcome: Outcome): outcome is Sample {
  return 'text' in outcome;
}

function isDrop(outcome: Outcome): boolean {
  return 'verdict' in outcome && outcome.verdict === 'drop';
}

function isChange(outcome: Outcome, sample: Sample): boolean {
  if ('verdict' in outcome) return outcome.verdict === 'keep' && outcome.sample.text !== sample.text;
  return !isOne(outcome) || outcome.text !== sample.text;
}

/** An operator may come from elsewhere: its answer is checked before anything relies on it. */
function checkOutcome(outcome: unknown): asserts outcome is Outcome {
  if (typeof outcome === 'object' && outcome !== null) {
    if (Array.isArray(outcome) ? outcome.every(isSample) : isSample(outcome)) return;
    const { verdict, reason, sample, score } = outcome as Record<string, unknown>;
    const scored = score === undefined || typeof score === 'number';
    if (verdict === 'drop' && typeof reason === 'string' && scored) return;
    if (verdict === 'keep' && isSample(sample) && scored) return;
  }
  throw new TypeError('The operator answered with neither a sample nor a verdict');
}

function isSample(value: unknown): value is Sample {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}
