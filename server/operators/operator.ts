import type { Static, TObject } from 'typebox';
import { AppError } from '../kernel/errors.ts';
import { createKnownFieldsReader } from '../kernel/known-fields.ts';
import { findSchemaProblem } from '../kernel/schema-problem.ts';
import type { Effect, OperatorEffects } from './effects.ts';
import type { GivenSample, SampleChanges, SampleOf, SamplePart } from './sample.ts';

export type { GivenSample, Media, Message, Sample, SampleChanges, SampleOf, SamplePart } from './sample.ts';
export { sampleParts } from './sample.ts';

/** Where a sample of another dataset is; row and line from 1. */
export type ReferencePlace = {
  readonly dataset: string;
  readonly path: string;
  readonly row: number | null;
  readonly line: number | null;
};

/** A part of the text that occurs in a sample of another dataset, as a range of UTF-16 units. */
export type Match = ReferencePlace & { readonly start: number; readonly end: number; readonly text: string };

/** The sample is dropped; `reason` says why, with the value and the bound. */
export type Dropped = {
  readonly verdict: 'drop';
  readonly reason: string;
  readonly score?: number;
  readonly matches?: readonly Match[];
};

/** The sample is kept, and the score that decided is recorded. */
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
export type ParamProblem = { readonly field: string; readonly problem: string };

/** Input and outcome of one call; used by tests and documentation. */
export type Example = {
  readonly title: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly input: string;
  /** The text afterwards, several texts, or the reason of the drop. */
  readonly output: string | readonly string[] | { readonly drop: string };
  /** Texts of the dataset that is compared with, the rows of `questions.jsonl` of the dataset Questions. */
  readonly references?: readonly string[];
  /** What a model replies in it, question by question. */
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
 * A parameter that the score is compared with: a sample is kept when its score is at least (`min`) or at most (`max`) that.
 * With it, other thresholds are tried out over the scores of a finished run.
 */
export type Threshold = { readonly param: string; readonly direction: 'min' | 'max' };

/** `COUNT`: whole numbers from 0. `SHARE`: 0 to 1. `VALUE`: any numbers. */
export type MeasureScale = 'COUNT' | 'SHARE' | 'VALUE';

/** A number that an operator tells of any sample; a profile of data shows how it is distributed. */
export type Measure = { readonly name: string; readonly description: string; readonly scale: MeasureScale };

/** One of a few words that an operator tells of any sample, such as its language. */
export type Label<S = GivenSample> = {
  readonly name: string;
  readonly description: string;
  readonly of: (sample: S) => string;
};

/** The numbers that a whole-set operator recorded, in the order of the input. Stored on disk; columns are read on demand. */
export type Signatures = {
  readonly count: number;
  /** How many of the samples, the first ones, are of the datasets that the step names: they are never dropped. */
  readonly references: number;
  /** One key of all samples. */
  column(key: number): Uint32Array;
  /** Copies the words of one sample into `target`. */
  read(index: number, target: Uint32Array): void;
};

/** Why one sample of the whole set is left out. `{sample}` in the reason becomes the place of the sample `of`. */
export type SetDrop = { readonly index: number; readonly of: number; readonly score: number; readonly reason: string };

/** What one sample of the whole set gets in columns of its row. */
export type SetWrite = { readonly index: number; readonly columns: Readonly<Record<string, string | number>> };

/** How duplicates are found: samples that agree in a key are compared by their words. */
export type DuplicateSearch = {
  /** Number of keys; samples that agree in one of them are compared. */
  readonly keys: number;
  readonly words: number;
  /** Similarity of two samples' words, 0 to 1. */
  readonly similarity: (one: Uint32Array, other: Uint32Array) => number;
  /** From this similarity on, one of the two is dropped. */
  readonly threshold: number;
  /** The reason of a drop, with `{sample}` for the sample that is kept. */
  readonly reason: (similarity: number) => string;
  /** A line for the log of the run. */
  readonly about?: string;
};

/**
 * How an operator processes the whole set. First `sign` records a few numbers per sample, shard by shard; then `reduce`
 * compares them all and reports which samples to drop, or what to write into their rows, in ascending order; later steps see
 * only those that are not dropped.
 */
export type WholeSet<S = GivenSample> = {
  /** Number of keys per sample, by which `reduce` groups; it reads one key of all samples at a time. */
  readonly keys: number;
  /** Number of words per sample, read for single samples. */
  readonly words: number;
  /** `path` is that of the sample's file. */
  sign(sample: S, keys: Uint32Array, words: Uint32Array, path: string): void;
  /**
   * Set if `reduce` only searches for duplicates in this way (`duplicatesBy`): each key of a large set is then worked on by
   * itself, in parts, with the same verdicts.
   */
  readonly duplicates?: DuplicateSearch;
  /** `note` adds a line to the log of the run: a warning, unless it is said to be none. */
  reduce(
    signatures: Signatures,
    drop: (dropped: SetDrop) => void,
    note: (message: string, level?: 'INFO') => void,
    write: (written: SetWrite) => void,
  ): void;
};

/** Thrown by `reduce` if the whole set can not be worked on as the parameters say: the run fails with its message. */
export class SetProblem extends Error {
  override readonly name = 'SetProblem';
}

/** What people who read Chinese are shown in place of the English texts. */
export type ChineseTexts<Param extends string = string> = {
  readonly name: string;
  readonly description: string;
  readonly params: { readonly [P in Param]: { readonly title: string; readonly help: string } };
  /** By English title; the samples of a set share one. */
  readonly examples: { readonly [title: string]: string };
  /** What its measures and its label mean, by their names. */
  readonly measures?: { readonly [name: string]: string };
  /** The sentences that its file declares, by their codes. */
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
  /** Built-in operators have it; published ones are shown as their authors wrote them. */
  readonly chinese?: ChineseTexts;
  /** Parts of a sample that it is given; it sees no others. */
  readonly reads: readonly SamplePart[];
  /** Parts that it may change; a sample of which it changes another part is failed. */
  readonly writes: readonly SamplePart[];
  /** How the score of a filter decides; such a filter returns a score for every sample, kept or not. */
  readonly thresholds?: readonly Threshold[];
  /** The parameter that names the column that it writes into every sample it keeps; with an empty name it writes none. */
  readonly columnParam?: string;
  /**
   * The numbers that it tells of a sample, whatever its parameters are. Of a filter with thresholds, the only one is its
   * score; other operators tell theirs with `measure`.
   */
  readonly measures?: readonly Measure[];
  /** Of a published operator: identifies its package. */
  readonly digest?: string;
  /** Of a published operator that asks models: those that it may ask, by their names or ids. */
  readonly models?: readonly string[];
  /** Checks relations between parameters. Called with parameters that match the schema. */
  readonly check?: (params: Readonly<Record<string, unknown>>) => ParamProblem | undefined;
};

/** The keys of 64 bits that an operator recorded of the samples of the datasets that a step names. */
export type ReferenceIndex = {
  /** The first sample that has the key; -1 if none has. */
  find(low: number, high: number): number;
  placeOf(sample: number): ReferencePlace;
};

/** Records keys of one sample of another dataset. */
export type Referrer<S = GivenSample> = (sample: S, take: (low: number, high: number) => void) => void;

/** The index of a step that names no datasets. */
const noReferences: ReferenceIndex = {
  find: () => -1,
  placeOf: () => {
    throw new RangeError('There are no references');
  },
};

/** A step over one sample after the other. Pure: same params and sample, same outcome; no clock, randomness, network or files. */
export type SampleOperator = OperatorMetadata & {
  /** Prepares the operator for a run and returns the function for each sample. */
  readonly each: (
    params: Readonly<Record<string, unknown>>,
    references?: ReferenceIndex,
  ) => (sample: GivenSample) => Outcome;
  /** What it records of the datasets that a step names; `each` looks it up. */
  readonly refer?: (params: Readonly<Record<string, unknown>>) => Referrer;
  /** One number for each of `measures`. */
  readonly measure?: (sample: GivenSample) => readonly number[];
  readonly label?: Label;
};

/** A step at work on batches, from the beginning of a job to its end. */
export type BatchRunner<S = GivenSample> = {
  /**
   * One outcome for each sample, in their order; an error fails its sample alone. A promise that is rejected, or another number of outcomes, fails none
   * but the guilty: the samples are tried again one by one. `signal` is aborted as soon as the answer no longer counts.
   */
  run(samples: readonly S[], signal: AbortSignal): Promise<readonly (Outcome | Error)[]>;
  /** Called once, when no more samples come. */
  close?(): Promise<void>;
};

/**
 * A step that takes many samples at once and may be asynchronous. As pure as its effects allow: what becomes of a sample
 * does not depend on the others of its batch.
 */
export type BatchOperator = OperatorMetadata & {
  /** What it is handed besides its parameters. */
  readonly needs: readonly Effect[];
  /** Samples per call, at most. */
  readonly samplesPerBatch: number;
  /** Whether it takes media that is not encoded yet; other steps get its bytes. */
  readonly sharesPictures?: boolean;
  /** Prepares the operator for a job. */
  readonly batch: (params: Readonly<Record<string, unknown>>, effects: OperatorEffects) => BatchRunner;
};

export type DuplicateKind = 'EXACT' | 'NEAR';

/** A step that must see all samples before it decides on one. Equally pure. */
export type SetOperator = OperatorMetadata & {
  readonly setExamples: readonly SetExample[];
  /** Whether it keeps the first sample of each group of equal ones: other input then changes its counts within bounds. */
  readonly keepsFirstOfEqual?: boolean;
  /** Which duplicates it drops, if it does. */
  readonly finds?: DuplicateKind;
  /** Makes what `sign` is given of samples, where that is asynchronous: one for each, in their order. */
  readonly prepare?: BatchRunner['run'];
  readonly all: (params: Readonly<Record<string, unknown>>) => WholeSet;
};

/** One step of a pipeline. */
export type Operator = SampleOperator | BatchOperator | SetOperator;

/** Whether the operator must see all samples before it decides on one. */
export function isSetOperator(operator: Operator): operator is SetOperator {
  return 'all' in operator;
}

/** Whether the operator takes one sample after the other. */
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
  each: (params: Static<S>, references: ReferenceIndex) => (sample: SampleOf<P>) => Outcome;
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
  /** Only what `reduce` may write. */
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
    each: (params, references = noReferences) =>
      each(params as Static<S>, references) as (sample: GivenSample) => Outcome,
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
export function drop(reason: string, score?: number): Dropped {
  return score === undefined ? { verdict: 'drop', reason } : { verdict: 'drop', reason, score };
}

/** Keeps a sample, with the score that decided. */
export function keep(sample: SampleChanges, score: number): Scored {
  return { verdict: 'keep', sample, score };
}

export type ParsedParams =
  | { readonly ok: true; readonly params: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly field: string; readonly problem: string };

/** Fills in defaults, drops unknown fields and checks parameters against the operator's schema; nothing is coerced. */
export function parseParams(operator: Operator, given: unknown): ParsedParams {
  const params = readKnown(operator, given);
  if (params instanceof AppError) return { ok: false, field: params.field ?? '', problem: problemOf(params) };
  const wrong = findSchemaProblem(operator.params, params);
  if (wrong !== undefined) return { ok: false, ...wrong };
  const checked = params as Readonly<Record<string, unknown>>;
  const problem = operator.check?.(checked);
  return problem === undefined ? { ok: true, params: checked } : { ok: false, ...problem };
}

/** The known parameters, or why they can't be read. */
function readKnown(operator: Operator, given: unknown): unknown {
  try {
    return knownParams(operator)(given ?? {});
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function problemOf({ message, params }: AppError): string {
  return String(params['problem'] ?? message);
}

const readers = new WeakMap<Operator, ReturnType<typeof createKnownFieldsReader>>();

function knownParams(operator: Operator): ReturnType<typeof createKnownFieldsReader> {
  const known = readers.get(operator) ?? createKnownFieldsReader(operator.params);
  readers.set(operator, known);
  return known;
}
