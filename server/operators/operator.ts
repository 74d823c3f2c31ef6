import type { Static, TObject } from 'typebox';
import type { Reason } from '../kernel/reason.ts';
import type { Effect, OperatorEffects } from './effects.ts';
import { noReferences, type Match, type ReferenceIndex, type Referrer } from './references.ts';
import type { GivenSample, SampleChanges, SampleOf, SamplePart } from './sample.ts';
import { createTextViews, type TextViews } from './text-view.ts';
import type { WholeSet } from './whole-set.ts';

export type { GivenSample, Media, Message, Sample, SampleChanges, SampleOf, SamplePart } from './sample.ts';
export { sampleParts } from './sample.ts';

/** The sample is dropped; `reason` gives the value and the bound. */
export type Dropped = {
  readonly verdict: 'drop';
  readonly reason: Reason;
  readonly score?: number;
  readonly matches?: readonly Match[];
};

/** The sample is kept, and its score is recorded. */
export type Scored = {
  readonly verdict: 'keep';
  readonly sample: SampleChanges;
  readonly score: number;
  readonly matches?: readonly Match[];
};

/** The outcome for a sample: one sample (the same object if unchanged), several, or a decision. */
export type Outcome = SampleChanges | readonly SampleChanges[] | Dropped | Scored;

export type Modality = 'TEXT' | 'IMAGE' | 'AUDIO' | 'VIDEO' | 'ANY';
export type OperatorKind = 'MAPPER' | 'FILTER' | 'DEDUPLICATOR' | 'SPLITTER' | 'SELECTOR';

/** A wrong parameter: `min`, `must not be greater than max`. */
export type ParamProblem = { readonly field: string; readonly problem: Reason };

/** Input and outcome of one call; used by tests and documentation. */
export type Example = {
  readonly title: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly input: string;
  /** The text afterwards, several texts, or the reason of the drop. */
  readonly output: string | readonly string[] | { readonly drop: string };
  /** Texts of the referenced dataset: the rows of `questions.jsonl` of the dataset Questions. */
  readonly references?: readonly string[];
  /** The replies of the model, question by question. */
  readonly replies?: readonly string[];
};

/** The same for operators that see the whole set: one outcome for each input. */
export type SetExample = {
  readonly title: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly inputs: readonly string[];
  readonly outputs: readonly (string | { readonly drop: string })[];
};

/**
 * A parameter that the score is compared with: a sample is kept if its score is at least (`min`) or at most (`max`)
 * this value. Other values can then be tried on the scores of a finished run.
 */
export type Threshold = { readonly param: string; readonly direction: 'min' | 'max' };

/** `COUNT`: whole numbers from 0. `SHARE`: 0 to 1. `VALUE`: any numbers. */
export type MeasureScale = 'COUNT' | 'SHARE' | 'VALUE';

/** A number that an operator computes for any sample; a data profile shows its distribution. */
export type Measure = { readonly name: string; readonly description: string; readonly scale: MeasureScale };

/** One of a few words that an operator assigns to any sample, such as its language. */
export type Label<S = GivenSample> = {
  readonly name: string;
  readonly description: string;
  readonly of: (sample: S) => string;
};

/** The Chinese texts that replace the English ones. */
export type ChineseTexts<Param extends string = string> = {
  readonly name: string;
  readonly description: string;
  readonly params: { readonly [P in Param]: { readonly title: string; readonly help: string } };
  /** By English title; one per set of samples. */
  readonly examples: { readonly [title: string]: string };
  /** Descriptions of its measures and its label, by name. */
  readonly measures?: { readonly [name: string]: string };
  /** The sentences that its file declares, by code. */
  readonly reasons?: { readonly [code: string]: string };
};

/** Metadata of all operators. */
export type OperatorMetadata = {
  /** `object-effect`: a `-filter` drops, a `-remover` removes, a `-normalizer` rewrites. */
  readonly id: string;
  /** Semantic version; increased with every change of behaviour. */
  readonly version: string;
  readonly name: string;
  readonly description: string;
  readonly modality: Modality;
  readonly kind: OperatorKind;
  readonly categories: readonly string[];
  readonly params: TObject;
  readonly examples: readonly Example[];
  /** Required for built-in operators; published ones are shown as their authors wrote them. */
  readonly chinese?: ChineseTexts;
  /** Parts of a sample that it receives; others are not passed. */
  readonly reads: readonly SamplePart[];
  /** Parts that it may change; a change of another part fails the sample. */
  readonly writes: readonly SamplePart[];
  /** How the score of a filter decides; such a filter returns a score for every sample, kept or not. */
  readonly thresholds?: readonly Threshold[];
  /** The parameter with the name of a column that is written into every kept sample; none is written if the name is empty. */
  readonly columnParam?: string;
  /**
   * The numbers that it computes for a sample, whatever its parameters. For a filter with thresholds, this is only its
   * score; other operators compute theirs in `measure`.
   */
  readonly measures?: readonly Measure[];
  /** Of a published operator: identifies its package. */
  readonly digest?: string;
  /** Of a published operator that asks models: the models that it may ask, by name or id. */
  readonly models?: readonly string[];
  /** Checks relations between parameters. Called with parameters that match the schema. */
  readonly check?: (params: Readonly<Record<string, unknown>>) => ParamProblem | undefined;
};

/** What a per-sample step receives besides its parameters. */
export type StepContext = {
  /** The index of the datasets that the step names. */
  readonly references: ReferenceIndex;
  /** Shared by the steps of a chain. */
  readonly texts: TextViews;
};

/** A per-sample step. Pure: same params and sample, same outcome; no clock, randomness, network or files. */
export type SampleOperator = OperatorMetadata & {
  /** Prepares the operator for a run and returns the function for each sample. */
  readonly each: (
    params: Readonly<Record<string, unknown>>,
    context?: Partial<StepContext>,
  ) => (sample: GivenSample) => Outcome;
  /** Records keys of the datasets that the step names; `each` looks them up. */
  readonly refer?: (params: Readonly<Record<string, unknown>>) => Referrer;
  /** One number for each of `measures`. */
  readonly measure?: (sample: GivenSample) => readonly number[];
  readonly label?: Label;
};

/** A batch step at work, from the beginning of a job to its end. */
export type BatchRunner<S = GivenSample> = {
  /**
   * Returns one outcome per sample, in their order; an error fails only its sample. After a rejection or a wrong number
   * of outcomes the samples are retried one by one, so that only the failing ones fail. `signal` is aborted as soon as
   * the result is no longer needed.
   */
  run(samples: readonly S[], signal: AbortSignal): Promise<readonly (Outcome | Error)[]>;
  /** Called once, after the last sample. */
  close?(): Promise<void>;
};

/**
 * A step that takes many samples at once and may be asynchronous. As pure as its effects allow: a sample's outcome does
 * not depend on the rest of its batch.
 */
export type BatchOperator = OperatorMetadata & {
  /** The effects that it receives. */
  readonly needs: readonly Effect[];
  /** Maximum number of samples per call. */
  readonly samplesPerBatch: number;
  /** Whether it accepts media that is not encoded yet; other steps receive its bytes. */
  readonly sharesPictures?: boolean;
  /** Prepares the operator for a job. */
  readonly batch: (params: Readonly<Record<string, unknown>>, effects: OperatorEffects) => BatchRunner;
};

export type DuplicateKind = 'EXACT' | 'NEAR';

/** A step that must see all samples before it decides on one. Equally pure. */
export type SetOperator = OperatorMetadata & {
  readonly setExamples: readonly SetExample[];
  /** Whether it keeps the first sample of each group of equal ones: changed input then changes its counts only within bounds. */
  readonly keepsFirstOfEqual?: boolean;
  /** The kind of duplicates that it drops, if any. */
  readonly finds?: DuplicateKind;
  /** Prepares the input of `sign` where that is asynchronous: one per sample, in their order. */
  readonly prepare?: BatchRunner['run'];
  readonly all: (params: Readonly<Record<string, unknown>>) => WholeSet;
};

/** One step of a pipeline. */
export type Operator = SampleOperator | BatchOperator | SetOperator;

/** Whether the operator must see all samples before it decides on one. */
export function isSetOperator(operator: Operator): operator is SetOperator {
  return 'all' in operator;
}

/** Whether the operator takes one sample at a time. */
export function isSampleOperator(operator: Operator): operator is SampleOperator {
  return 'each' in operator;
}

/** Whether the operator takes samples in batches. */
export function isBatchOperator(operator: Operator): operator is BatchOperator {
  return 'batch' in operator;
}

/** Whether the operator asks models, which may cost money. */
export function asksModels(operator: Operator): boolean {
  return operator.models !== undefined || (isBatchOperator(operator) && operator.needs.includes('models'));
}

type Declared<S extends TObject, P extends SamplePart> = Omit<
  OperatorMetadata,
  'params' | 'check' | 'reads' | 'writes' | 'chinese' | 'columnParam'
> & {
  params: S;
  columnParam?: keyof Static<S> & string;
  chinese?: ChineseTexts<keyof Static<S> & string>;
  check?: (params: Static<S>) => ParamProblem | undefined;
  /** Default: the text. */
  reads?: readonly P[];
  /** Default: the text of mappers and splitters; other kinds judge and write nothing. */
  writes?: readonly SamplePart[];
};

type Declaration<S extends TObject, P extends SamplePart> = Declared<S, P> & {
  each: (params: Static<S>, context: StepContext) => (sample: SampleOf<P>) => Outcome;
  refer?: (params: Static<S>) => Referrer<SampleOf<P>>;
  measure?: (sample: SampleOf<P>) => readonly number[];
  label?: Label<SampleOf<P>>;
};

type BatchDeclaration<S extends TObject, P extends SamplePart> = Omit<Declared<S, P>, 'measures'> & {
  /** Default: none. */
  needs?: readonly Effect[];
  /** Default: 32. */
  samplesPerBatch?: number;
  sharesPictures?: boolean;
  batch: (params: Static<S>, effects: OperatorEffects) => BatchRunner<SampleOf<P>>;
};

type SetDeclaration<S extends TObject, P extends SamplePart> = Omit<Declared<S, P>, 'examples' | 'writes'> & {
  /** The only part that `reduce` may write. */
  writes?: readonly 'columns'[];
  setExamples: readonly SetExample[];
  keepsFirstOfEqual?: boolean;
  finds?: DuplicateKind;
  prepare?: (samples: readonly SampleOf<P>[]) => Promise<readonly SampleOf<P>[]>;
  all: (params: Static<S>) => WholeSet<SampleOf<P>>;
};

/** Declares an operator whose parameters have the type of its schema. */
export function defineOperator<const S extends TObject, P extends SamplePart = 'text'>(
  declaration: Declaration<S, P>,
): SampleOperator {
  const {
    check,
    each,
    refer,
    measure,
    label,
    reads = ['text'],
    writes = writesOf(declaration.kind),
    ...metadata
  } = declaration;
  return {
    ...metadata,
    reads,
    writes,
    ...checkOf(check),
    ...(measure === undefined ? {} : { measure: (sample: GivenSample) => measure(sample as SampleOf<P>) }),
    ...(label === undefined
      ? {}
      : { label: { ...label, of: (sample: GivenSample) => label.of(sample as SampleOf<P>) } }),
    ...(refer === undefined ? {} : { refer: (params) => refer(params as Static<S>) as Referrer }),
    each: (params, { references = noReferences, texts = createTextViews() } = {}) =>
      each(params as Static<S>, { references, texts }) as (sample: GivenSample) => Outcome,
  };
}

const defaultBatch = 32;

/** Declares an operator that takes samples in batches, with parameters of the type of its schema. */
export function defineBatchOperator<const S extends TObject, P extends SamplePart = 'text'>(
  declaration: BatchDeclaration<S, P>,
): BatchOperator {
  const {
    check,
    batch,
    needs = [],
    samplesPerBatch = defaultBatch,
    reads = ['text'],
    writes = writesOf(declaration.kind),
    ...metadata
  } = declaration;
  return {
    ...metadata,
    needs,
    samplesPerBatch,
    reads,
    writes,
    ...checkOf(check),
    batch: (params, effects) => batch(params as Static<S>, effects),
  };
}

/** Declares an operator that sees the whole set, with parameters of the type of its schema. */
export function defineSetOperator<const S extends TObject, P extends SamplePart = 'text'>(
  declaration: SetDeclaration<S, P>,
): SetOperator {
  const { check, all, prepare, reads = ['text'], writes = [], ...metadata } = declaration;
  const examples = metadata.setExamples.flatMap(examplesOf);
  return {
    ...metadata,
    reads,
    writes,
    examples,
    ...checkOf(check),
    ...(prepare === undefined ? {} : { prepare: (samples) => prepare(samples as readonly SampleOf<P>[]) }),
    all: (params) => all(params as Static<S>),
  };
}

function writesOf(kind: OperatorKind): readonly SamplePart[] {
  return kind === 'MAPPER' || kind === 'SPLITTER' ? ['text'] : [];
}

/** One example for each sample of a set. */
function examplesOf({ title, params, inputs, outputs }: SetExample): Example[] {
  return inputs.map((input, index) => {
    const output = outputs[index] ?? input;
    return { title: `${title} (sample ${index + 1} of ${inputs.length})`, params, input, output };
  });
}

function checkOf<S extends TObject>(check: Declared<S, SamplePart>['check']): Pick<OperatorMetadata, 'check'> {
  return check === undefined ? {} : { check: (params) => check(params as Static<S>) };
}

/** Drops a sample. */
export function drop(reason: Reason, score?: number): Dropped {
  return score === undefined ? { verdict: 'drop', reason } : { verdict: 'drop', reason, score };
}

/** Keeps a sample, with its score. */
export function keep(sample: SampleChanges, score: number): Scored {
  return { verdict: 'keep', sample, score };
}
