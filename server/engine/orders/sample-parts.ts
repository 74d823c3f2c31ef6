import { isDeepStrictEqual } from 'node:util';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { inputProblems, runSentences } from '../../kernel/sentences/index.ts';
import type {
  GivenSample,
  Match,
  Media,
  Message,
  Operator,
  Outcome,
  Sample,
  SampleChanges,
  SamplePart,
} from '../../operators/index.ts';

/** The parts of a sample besides its text; each is read on first use, at most once. */
export type SampleSource = {
  /** The other columns of a row. */
  readonly fields?: () => Sample['fields'];
  /** All columns of a row. */
  readonly columns?: () => Sample['columns'];
  /** The column whose whole value is the text, if there is one. */
  readonly textColumn?: string;
  readonly messages?: () => readonly Message[];
  readonly media?: () => readonly Media[];
};

/** What steps wrote besides the text. */
export type WrittenParts = {
  /** Columns by name; `undefined` for removed ones. */
  readonly fields?: Sample['fields'];
  /** The new name of the column that holds the text. */
  readonly textName?: string;
  readonly messages?: readonly Message[];
  readonly media?: readonly Media[];
};

/** A sample between two steps. */
export type FlowingSample = {
  readonly text: string;
  readonly source?: SampleSource;
  readonly written?: WrittenParts;
  readonly scores?: Sample['scores'];
};

/** A sample between two steps, or the verdict of a step. */
export type StepOutcome =
  | FlowingSample
  | readonly FlowingSample[]
  | {
      readonly verdict: 'keep';
      readonly sample: FlowingSample;
      readonly score: number;
      readonly matches?: readonly Match[];
    }
  | Extract<Outcome, { verdict: 'drop' }>;

/** What the steps of one chain can read from a sample, and what they may write to it. */
export type SampleParts = {
  /** The sample as passed to the step: with the parts that its operator reads. */
  viewOf(step: number, sample: FlowingSample): GivenSample;
  /**
   * The sample after the step; throws if the operator wrote a part that it does not declare, or a value of the wrong
   * type.
   */
  outcomeOf(step: number, sample: FlowingSample, given: GivenSample, outcome: Outcome): StepOutcome;
};

/** Parts that any of the operators reads or writes. */
export function partsOf(operators: readonly Operator[]): ReadonlySet<SamplePart> {
  return new Set(operators.flatMap(({ reads, writes }) => [...reads, ...writes]));
}

/** Whether steps that read or write these parts need all columns of a row. */
export function needWholeRows(parts: Iterable<SamplePart>): boolean {
  return [...parts].some((part) => part === 'fields' || part === 'columns' || part === 'messages');
}

/** For chains that process more than texts. */
export function createSampleParts(operators: readonly Operator[]): SampleParts {
  const views = operators.map(createView);
  return {
    viewOf: (step, sample) => views[step]?.(sample) ?? sample,
    outcomeOf(step, sample, given, outcome) {
      const operator = operators[step];
      if (operator === undefined) return sample;
      const merge = (changes: SampleChanges): FlowingSample => merged(operator, sample, given, changes);
      if ('verdict' in outcome)
        return outcome.verdict === 'drop' ? outcome : { ...outcome, sample: merge(outcome.sample) };
      return isSeveral(outcome) ? outcome.map(merge) : merge(outcome);
    },
  };
}

export function isSeveral(outcome: Outcome): outcome is readonly SampleChanges[] {
  return Array.isArray(outcome);
}

const readers: { readonly [P in SamplePart]: (sample: FlowingSample) => Sample[P] } = {
  text: ({ text }) => text,
  fields: fieldsOf,
  columns: columnsOf,
  messages: ({ source, written }) => written?.messages ?? source?.messages?.() ?? [],
  media: ({ source, written }) => written?.media ?? source?.media?.() ?? [],
  scores: ({ scores }) => scores ?? {},
};

function fieldsOf({ source, written }: FlowingSample): Sample['fields'] {
  const fields = source?.fields?.() ?? {};
  return written?.fields === undefined ? fields : withoutTakenOut({ ...fields, ...written.fields });
}

/** All columns as the steps so far left them. */
export function columnsOf({ text, source, written }: FlowingSample): Sample['columns'] {
  const name = source?.textColumn;
  const columns = { ...source?.columns?.(), ...written?.fields };
  if (name === undefined) return withoutTakenOut(columns);
  if (written?.textName === undefined) return withoutTakenOut({ ...columns, [name]: text });
  return withoutTakenOut({ ...columns, [name]: undefined, [written.textName]: text });
}

function withoutTakenOut(columns: Named): Named {
  return Object.values(columns).includes(undefined)
    ? Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
    : columns;
}

/** An operator that reads only the text gets a plain object; other parts are read on first use. */
function createView({ reads }: Operator): (sample: FlowingSample) => GivenSample {
  if (reads.every((part) => part === 'text')) return reads.length === 0 ? () => ({}) : ({ text }) => ({ text });
  return (sample) => {
    const known = new Map<SamplePart, unknown>();
    const get = (part: SamplePart): unknown => {
      if (!known.has(part)) known.set(part, readers[part](sample));
      return known.get(part);
    };
    return Object.create(
      Object.prototype,
      Object.fromEntries(reads.map((part) => [part, { enumerable: true, get: () => get(part) }])),
    ) as GivenSample;
  };
}

function merged(
  { reads, writes, columnParam }: Operator,
  sample: FlowingSample,
  given: GivenSample,
  changes: SampleChanges,
): FlowingSample {
  if (changes === given) return sample;
  /** A part that the operator set, if it differs from the old one. */
  const changed = <P extends SamplePart>(
    part: P,
    isPart: (value: unknown) => value is Sample[P],
  ): Sample[P] | undefined => {
    const value: unknown = changes[part];
    if (value === undefined || (reads.includes(part) && value === given[part])) return undefined;
    if (!isPart(value)) throw new ReasonedError(runSentences.OPERATOR_OTHER_KIND.reason({ part }));
    const before: unknown = readers[part](sample);
    const differs = !isDeepStrictEqual(isNamed(part) ? only(value, before) : before, value);
    if (differs && !writes.includes(part)) throw new ReasonedError(runSentences.OPERATOR_UNDECLARED.reason({ part }));
    return differs ? value : undefined;
  };
  const columns = changed('columns', areColumns);
  if (columns !== undefined && columnParam !== undefined) refuseText(sample, columns);
  const set = columns === undefined ? undefined : setColumns(sample, columns);
  const text = changed('text', isText) ?? set?.text;
  const fields = set?.fields ?? changed('fields', isFields);
  const messages = changed('messages', isMessages);
  const media = changed('media', areMedia);
  const scores = changed('scores', areScores);
  if (
    text === undefined &&
    set === undefined &&
    fields === undefined &&
    messages === undefined &&
    media === undefined &&
    scores === undefined
  ) {
    return sample;
  }
  const textName = set?.textName;
  const isWritten = fields !== undefined || textName !== undefined || messages !== undefined || media !== undefined;
  const written = {
    ...sample.written,
    ...(textName === undefined ? {} : { textName }),
    ...(fields === undefined ? {} : { fields: { ...sample.written?.fields, ...differing(fields, fieldsOf(sample)) } }),
    ...(messages === undefined ? {} : { messages }),
    ...(media === undefined ? {} : { media }),
  };
  return {
    ...sample,
    text: text ?? sample.text,
    ...(isWritten ? { written } : {}),
    ...(scores === undefined ? {} : { scores: { ...sample.scores, ...scores } }),
  };
}

type Named = Readonly<Record<string, unknown>>;

/** An operator that writes a column into every sample must not replace its text. */
function refuseText({ source, written }: FlowingSample, columns: Named): void {
  const name = written?.textName ?? source?.textColumn;
  if (name !== undefined && columns[name] !== undefined)
    throw new ReasonedError(inputProblems.FIELD_HOLDS_TEXT.reason({ field: JSON.stringify(name) }));
}

/** Splits the columns that an operator set into the text, the name of its column, and other fields. */
function setColumns(sample: FlowingSample, columns: Named): { text?: string; textName?: string; fields?: Named } {
  const before = columnsOf(sample);
  const name = sample.written?.textName ?? sample.source?.textColumn;
  if (name === undefined || !Object.hasOwn(columns, name)) return fieldsIfAny(differing(columns, before));
  const { [name]: text, ...others } = columns;
  const column = JSON.stringify(name);
  if (text !== undefined) {
    if (!isText(text)) throw new ReasonedError(inputProblems.TEXT_COLUMN_OF_OTHER_KIND.reason({ column }));
    return { text, ...fieldsIfAny(differing(others, before)) };
  }
  const textName = Object.keys(others).find((other) => others[other] === sample.text && !Object.hasOwn(before, other));
  if (textName === undefined) throw new ReasonedError(inputProblems.TEXT_COLUMN_TAKEN.reason({ column }));
  const { [textName]: _text, ...rest } = others;
  return { textName, ...fieldsIfAny(differing(rest, before)) };
}

function fieldsIfAny(fields: Named): { fields?: Named } {
  return Object.keys(fields).length === 0 ? {} : { fields };
}

/** Whether a part is a record whose entries are set one by one. */
function isNamed(part: SamplePart): boolean {
  return part === 'fields' || part === 'columns' || part === 'scores';
}

/** The entries of `all` whose names are also in `names`. */
function only(names: unknown, all: unknown): Named {
  const known = isRecord(all) ? all : {};
  const wanted = Object.keys(isRecord(names) ? names : {}).filter((name) => Object.hasOwn(known, name));
  return Object.fromEntries(wanted.map((name) => [name, known[name]]));
}

function differing(fields: Named, before: Named): Named {
  const isOther = ([name, value]: [string, unknown]): boolean =>
    Object.hasOwn(before, name) ? !isDeepStrictEqual(value, before[name]) : value !== undefined;
  return Object.fromEntries(Object.entries(fields).filter(isOther));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFields(value: unknown): value is Sample['fields'] {
  return isRecord(value) && Object.values(value).every(isJson);
}

function areColumns(value: unknown): value is Sample['columns'] {
  return isRecord(value) && Object.values(value).every((column) => column === undefined || isJson(column));
}

function isMessages(value: unknown): value is readonly Message[] {
  const isMessage = (item: unknown): boolean => isRecord(item) && isText(item['role']) && isText(item['content']);
  return Array.isArray(value) && value.every(isMessage);
}

function areMedia(value: unknown): value is readonly Media[] {
  const isMedia = (item: unknown): boolean =>
    isRecord(item) && isText(item['type']) && item['bytes'] instanceof Uint8Array;
  return Array.isArray(value) && value.every(isMedia);
}

function areScores(value: unknown): value is Sample['scores'] {
  return isRecord(value) && Object.values(value).every((score) => Number.isFinite(score));
}

function isRecord(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether JSON can represent a value without loss. */
function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  return Array.isArray(value) ? value.every(isJson) : isRecord(value) && Object.values(value).every(isJson);
}
