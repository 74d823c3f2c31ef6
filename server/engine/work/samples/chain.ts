import { foreign, inputProblems, runSentences, type Reason } from '../../../kernel/sentences/index.ts';
import { ReasonedError, reasonOf } from '../../../kernel/reasoned-error.ts';
import {
  createTextViews,
  isBatchOperator,
  isSetOperator,
  sampleParts,
  type OperatorEffects,
  type GivenSample,
  type Operator,
  type Outcome,
  type SampleChanges,
  type SamplePart,
  type WholeSet,
  drop,
  keep,
} from '../../../operators/index.ts';
import type { Step, StepFigures } from '../../orders/steps.ts';
import { openIndex } from './reference-index.ts';
import type { SharedIndex } from '../../orders/shared-index.ts';
import { SetupError } from '../../orders/setup-error.ts';
import { judgeSeveral } from './judge-several.ts';
import type { BatchStep, TogetherSteps } from './judge-together.ts';
import {
  isChange,
  isDrop,
  isOne,
  judgementOf,
  setNamedScores,
  scoreOf,
  setScore,
  StepFailure,
  type ChainInput,
  type Judgement,
  type StepScore,
  type Trace,
} from './judgement.ts';
import {
  createSampleParts,
  partsOf,
  type FlowingSample,
  type SampleParts,
  type StepOutcome,
  type WrittenParts,
} from '../../orders/sample-parts.ts';
import type { RecordedOutcome } from '../../orders/preview-jobs.ts';

export { isSame } from './judgement.ts';
export type { ChainInput, Judgement, StepScore, Trace } from './judgement.ts';

/** Several operators as one function over a sample. */
export type Chain = {
  /** Throws if a step takes samples in batches. */
  judge(sample: ChainInput, trace?: Trace): Judgement;
  /** Set if a step takes samples in batches: they then pass through the chain together. */
  readonly together?: TogetherSteps & { close(): Promise<void> };
  /** Parts of a sample that any step reads or writes. */
  readonly parts: ReadonlySet<SamplePart>;
  /** Whether any step may add, rename or remove columns. */
  readonly writesColumns: boolean;
  /** The step that writes other parts than the text, if only one does. */
  readonly onlyWriter: number | null;
  readonly figures: readonly StepFigures[];
};

export type ChainOptions = {
  operators: readonly Operator[];
  steps: readonly Step[];
  /** Effects available to batch steps. */
  effects: (step: number) => OperatorEffects;
  /** Called before a step processes the sample. */
  beforeStep: (step: number) => void;
  /** By step: the index of the datasets that it compares with. */
  indexes?: ReadonlyMap<number, SharedIndex> | undefined;
  /** By step: the recorded outcome of the only sample, so that the datasets to compare with are not read again. */
  recorded?: ReadonlyMap<number, RecordedOutcome> | undefined;
  /** Returns the function that a whole-set step applies to each sample that reaches it. */
  setStep: (step: number, whole: WholeSet) => (sample: GivenSample) => Outcome;
};

/** Parts that every kind of sample can hold. */
const ownParts: ReadonlySet<SamplePart> = new Set(['text', 'scores']);
/** Parts that are columns, which a row may lack. */
const columnParts: ReadonlySet<SamplePart> = new Set(['fields', 'columns', 'messages']);

/** Prepares the steps. Throws if an operator is not available in the required version. */
export function createChain({
  operators,
  steps,
  effects,
  beforeStep,
  setStep,
  indexes,
  recorded,
}: ChainOptions): Chain {
  const used = steps.map((step) => getOperator(operators, step));
  const texts = createTextViews();
  const prepared = used.map((operator, index) => {
    const params = steps[index]?.params ?? {};
    if (isBatchOperator(operator)) return notAlone;
    if (isSetOperator(operator)) return setStep(index, operator.all(params));
    const known = recorded?.get(index);
    if (known !== undefined) return (sample: GivenSample) => outcomeOf(known, sample);
    const shared = indexes?.get(index);
    return operator.each(params, shared === undefined ? { texts } : { texts, references: openIndex(shared) });
  });
  const figures = steps.map(() => ({ in: 0, changed: 0, dropped: 0, failed: 0, ms: 0 }));
  const parts = partsOf(used);
  // Most chains process only texts: the output of one operator is directly the input of the next.
  const views = [...parts].every((part) => part === 'text') ? undefined : createSampleParts(used);
  const maySetText = used.map(({ writes }) => writes.includes('text'));

  function call(index: number, sample: FlowingSample, trace: Trace | undefined, field?: string): StepOutcome {
    const each = prepared[index];
    const figure = figures[index];
    if (each === undefined || figure === undefined) throw new RangeError(`There is no step ${index}`);
    beforeStep(index);
    const started = performance.now();
    try {
      const outcome = views === undefined ? textOutcome(each(sample)) : anyOutcome(index, sample, each);
      if (maySetText[index] === false && views === undefined && isChange(outcome, sample)) {
        throw new ReasonedError(textUndeclared);
      }
      trace?.(index, sample, outcome, field);
      return outcome;
    } catch (error) {
      throw failureOf(index, sample, error, trace, field);
    } finally {
      figure.ms += performance.now() - started;
    }
  }

  function failureOf(
    index: number,
    sample: FlowingSample,
    error: unknown,
    trace: Trace | undefined,
    field: string | undefined,
  ): StepFailure {
    const problem = error instanceof Error ? reasonOf(error) : foreign(String(error));
    trace?.(index, sample, { problem }, field);
    return new StepFailure(index, problem);
  }

  /** Runs one step on a sample and updates the counts. */
  function callCounted(index: number, sample: FlowingSample, trace: Trace | undefined): StepOutcome {
    const figure = figureOf(index);
    figure.in += 1;
    try {
      const outcome = call(index, sample, trace);
      if (isDrop(outcome)) figure.dropped += 1;
      else if (isChange(outcome, sample)) figure.changed += 1;
      return outcome;
    } catch (error) {
      figure.failed += 1;
      throw error;
    }
  }

  function figureOf(index: number): StepFigures {
    const figure = figures[index];
    if (figure === undefined) throw new RangeError(`There is no step ${index}`);
    return figure;
  }

  function anyOutcome(index: number, sample: FlowingSample, each: (sample: GivenSample) => Outcome): StepOutcome {
    if (views === undefined) throw new RangeError('The steps work on texts alone');
    const given = views.viewOf(index, sample);
    return mergedOutcome(views, index, sample, given, each(given));
  }

  function judgeOne({ text, source }: Extract<ChainInput, { text: string }>, trace: Trace | undefined): Judgement {
    const texts: string[] = [];
    let written: (WrittenParts | undefined)[] | undefined;
    let step: number | null = null;
    let reason: Reason | null = null;
    let scores: StepScore[] | null = null;

    const walk = (start: FlowingSample, first: number): void => {
      let sample = start;
      for (let index = first; index < prepared.length; index += 1) {
        const outcome = callCounted(index, sample, trace);
        if ('verdict' in outcome) {
          if (outcome.score !== undefined) scores = setScore(scores, scoreOf(index, outcome.score, outcome.matches));
          if (outcome.verdict === 'drop') {
            step = index;
            ({ reason } = outcome);
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
            reason = inputProblems.SPLIT_INTO_NOTHING.reason({});
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
      return { verdict: 'FAILED', texts: [], step: error.step, reason: error.reason, scores };
    }
    return judgementOf(text, { texts, written, scores, ended: { step, reason } });
  }

  const usesText = used.map(({ reads, writes }) => reads.includes('text') || writes.includes('text'));
  const several = { comparesAll: used.map(isSetOperator), usesText, call, figureOf };

  /** Opens the steps for samples that pass through them together, and starts the batch runners. */
  function openTogether(): NonNullable<Chain['together']> {
    const batches = used.map((operator, index): BatchStep | undefined =>
      isBatchOperator(operator)
        ? { size: operator.samplesPerBatch, runner: operator.batch(steps[index]?.params ?? {}, effects(index)) }
        : undefined,
    );
    return {
      ...several,
      batches,
      preparing: used.map((operator) =>
        isSetOperator(operator) && operator.prepare !== undefined
          ? { size: preparedAtOnce, runner: { run: operator.prepare } }
          : undefined,
      ),
      readsBytes: used.map(
        (operator) => operator.reads.includes('media') && !('sharesPictures' in operator) && !('prepare' in operator),
      ),
      callGiven(step, given) {
        const each = prepared[step];
        if (each === undefined) throw new RangeError(`There is no step ${step}`);
        return each(given);
      },
      givenTo: (step, sample) => views?.viewOf(step, sample) ?? sample,
      settle({ step, sample, given, outcome, field }, trace) {
        try {
          if (outcome instanceof Error) throw outcome;
          const checked =
            views === undefined ? textOutcome(outcome) : mergedOutcome(views, step, sample, given, outcome);
          if (maySetText[step] === false && views === undefined && isChange(checked, sample)) {
            throw new ReasonedError(textUndeclared);
          }
          trace?.(step, sample, checked, field);
          return checked;
        } catch (error) {
          throw failureOf(step, sample, error, trace, field);
        }
      },
      async close() {
        for (const batch of batches) await batch?.runner.close?.();
      },
    };
  }

  const writers = [...used.keys()].filter((step) => used[step]?.writes.some((part) => !ownParts.has(part)));
  return {
    figures,
    parts,
    onlyWriter: writers.length === 1 ? (writers[0] ?? null) : null,
    writesColumns: used.some(({ writes }) => writes.some((part) => columnParts.has(part))),
    ...(used.some(needsBatches) ? { together: openTogether() } : {}),
    judge(sample, trace) {
      if (!('texts' in sample)) return judgeOne(sample, trace);
      return judgeSeveral(several, views === undefined ? { texts: sample.texts } : sample, trace);
    },
  };
}

function outcomeOf({ score, reason, matches }: RecordedOutcome, sample: GivenSample): Outcome {
  return reason === null ? { ...keep(sample, score), matches } : { ...drop(reason, score), matches };
}

/** The operator of a step; throws if it is not installed in this version. */
export function getOperator(operators: readonly Operator[], step: Pick<Step, 'operatorId' | 'version'>): Operator {
  const versions = operators.filter(({ id }) => id === step.operatorId);
  const [other] = versions;
  if (other === undefined) throw new SetupError(runSentences.NO_OPERATOR.reason({ operator: step.operatorId }));
  const operator = versions.find(({ version }) => version === step.version);
  if (operator === undefined) {
    throw new SetupError(
      runSentences.OTHER_VERSION.reason({
        operator: step.operatorId,
        wanted: step.version,
        installed: other.version,
      }),
    );
  }
  return operator;
}

/** Batch size for whole-set steps that prepare their samples before signing. */
const preparedAtOnce = 4;

/** Whether a step must be given samples in batches. */
export function needsBatches(operator: Operator): boolean {
  return isBatchOperator(operator) || (isSetOperator(operator) && operator.prepare !== undefined);
}

function notAlone(): never {
  throw new RangeError('The step takes samples in batches');
}

function mergedOutcome(
  views: SampleParts,
  step: number,
  sample: FlowingSample,
  given: GivenSample,
  outcome: Outcome,
): StepOutcome {
  if (outcome === given) return sample;
  checkOutcome(outcome, isAnySample);
  return views.outcomeOf(step, sample, given, outcome);
}

const textUndeclared = runSentences.OPERATOR_UNDECLARED.reason({ part: 'text' });

/** Passes the outcome of a text-only operator on unchanged. */
function textOutcome(outcome: Outcome): StepOutcome {
  checkOutcome(outcome, isTextSample);
  return outcome as StepOutcome;
}

/** Operators may be third-party code: checks the outcome before it is used. */
function checkOutcome(outcome: unknown, isSample: (value: unknown) => boolean): asserts outcome is Outcome {
  if (typeof outcome === 'object' && outcome !== null) {
    if (Array.isArray(outcome) ? outcome.every(isSample) : isSample(outcome)) return;
    const { verdict, reason, sample, score } = outcome as Record<string, unknown>;
    const scored = score === undefined || typeof score === 'number';
    if (verdict === 'drop' && isReason(reason) && scored) return;
    if (verdict === 'keep' && isSample(sample) && scored) return;
  }
  throw new ReasonedError(runSentences.OPERATOR_NO_ANSWER.reason({}));
}

function isReason(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}

function isTextSample(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}

/** Whether a value has at least one part of a sample; the types of the parts are checked where they are read. */
function isAnySample(value: unknown): value is SampleChanges {
  return (
    typeof value === 'object' && value !== null && !('verdict' in value) && sampleParts.some((part) => part in value)
  );
}
