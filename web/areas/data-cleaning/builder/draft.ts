import type { CleaningTask, NewCleaningTask, Operator } from '../../../api/schema.ts';
import { defaultsOf, fieldsOf, isComplete } from '../../../ui/schema-fields.ts';

/** A step being edited; `key` identifies it while the list is open. */
export type DraftStep = { key: string; operatorId: string; params: Record<string, unknown> };

/** A task being edited. */
export type Draft = {
  name: string;
  description: string;
  sourceDatasetId: string;
  sourceVersion: number | undefined;
  targetDatasetName: string;
  targetDatasetId: string | undefined;
  steps: DraftStep[];
  prefix: string;
  fileTypes: string[];
  /** Patterns of files that are not read. */
  exclude: string[];
  textField: string;
  textFields: TextFieldsRule[];
  encoding: string;
  /** Conditions on rows: set through the API, kept here. */
  where: NonNullable<NewInput['where']>;
  onError: OnError;
  outputFormat: OutputFormat;
  /** Target size of files, for formats other than that of the source. */
  shardMiB: number;
};

type NewInput = NonNullable<NewCleaningTask['input']>;

/** The columns that hold the text of the files that match a pattern. */
export type TextFieldsRule = { files: string; fields: string[] };

const mebibyte = 1 << 20;
const defaultShardMiB = 256;

let lastKey = 0;

export function newStep(operator: Pick<Operator, 'id' | 'paramsSchema'>): DraftStep {
  return stepOf(operator.id, defaultsOf(fieldsOf(operator.paramsSchema)));
}

export function stepOf(operatorId: string, params: Readonly<Record<string, unknown>>): DraftStep {
  lastKey += 1;
  return { key: `step-${lastKey}`, operatorId, params: { ...params } };
}

export function emptyDraft(sourceDatasetId = ''): Draft {
  return {
    name: '',
    description: '',
    sourceDatasetId,
    sourceVersion: undefined,
    targetDatasetName: '',
    targetDatasetId: undefined,
    steps: [],
    prefix: '',
    fileTypes: [],
    exclude: [],
    textField: '',
    textFields: [],
    encoding: '',
    where: [],
    onError: 'SET_ASIDE',
    outputFormat: 'SOURCE',
    shardMiB: defaultShardMiB,
  };
}

export function draftOf(task: CleaningTask): Draft {
  return {
    name: task.name,
    description: task.description,
    sourceDatasetId: task.sourceDatasetId,
    sourceVersion: task.sourceVersion ?? undefined,
    targetDatasetName: task.targetDatasetName,
    targetDatasetId: task.targetDatasetId ?? undefined,
    steps: task.steps.map(({ operatorId, params }) => stepOf(operatorId, params)),
    prefix: task.input.prefix,
    fileTypes: [...task.input.fileTypes],
    exclude: [...task.input.exclude],
    textField: task.input.textField ?? '',
    textFields: task.input.textFields.map(({ files, fields }) => ({ files, fields: [...fields] })),
    encoding: task.input.encoding ?? '',
    where: [...task.input.where],
    onError: task.onError,
    outputFormat: task.output.format,
    shardMiB:
      task.output.shardBytes === null ? defaultShardMiB : Math.max(1, Math.round(task.output.shardBytes / mebibyte)),
  };
}

/** A list with one element moved. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return [...list];
  return list.toSpliced(from, 1).toSpliced(to, 0, item);
}

export type DraftProblem = 'name' | 'source' | 'columns' | 'steps' | 'params';

/** Problems that prevent saving a draft, in the order of the page; `unclearTables` have no text column yet. */
export function problemsOf(draft: Draft, operators: readonly Operator[], unclearTables: number): DraftProblem[] {
  const problems: DraftProblem[] = [];
  const name = draft.name.trim();
  if (name === '' || [...name].length > 100) problems.push('name');
  if (draft.sourceDatasetId === '') problems.push('source');
  if (unclearTables > 0) problems.push('columns');
  if (draft.steps.length === 0) problems.push('steps');
  if (draft.steps.some((step) => !isStepComplete(step, operators))) problems.push('params');
  return problems;
}

export function isStepComplete(step: DraftStep, operators: readonly Operator[]): boolean {
  const operator = operators.find(({ id }) => id === step.operatorId);
  return operator !== undefined && isComplete(fieldsOf(operator.paramsSchema), step.params);
}

export function stepsToSend(draft: Pick<Draft, 'steps'>): { operatorId: string; params: Record<string, unknown> }[] {
  return draft.steps.map(({ operatorId, params }) => ({ operatorId, params }));
}

export function inputToSend(
  draft: Pick<Draft, 'prefix' | 'fileTypes' | 'exclude' | 'textField' | 'textFields' | 'encoding' | 'where'>,
): NewInput {
  const { fileTypes, exclude, textFields, where } = draft;
  const prefix = draft.prefix.trim();
  const textField = draft.textField.trim();
  const encoding = draft.encoding.trim();
  return {
    ...(prefix === '' ? {} : { prefix }),
    ...(fileTypes.length === 0 ? {} : { fileTypes }),
    ...(exclude.length === 0 ? {} : { exclude }),
    ...(textField === '' ? {} : { textField }),
    ...(textFields.length === 0 ? {} : { textFields }),
    ...(encoding === '' ? {} : { encoding }),
    ...(where.length === 0 ? {} : { where }),
  };
}

/** What a profile of the source is asked of. */
export function sourceToSend(
  draft: Pick<Draft, 'sourceDatasetId' | 'sourceVersion'> & Parameters<typeof inputToSend>[0],
): { sourceDatasetId: string; sourceVersion?: number; input: NewInput } {
  const { sourceDatasetId, sourceVersion } = draft;
  return { sourceDatasetId, ...(sourceVersion === undefined ? {} : { sourceVersion }), input: inputToSend(draft) };
}

export function taskToSend(draft: Draft): NewCleaningTask {
  const targetDatasetName = draft.targetDatasetName.trim();
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    sourceDatasetId: draft.sourceDatasetId,
    ...(draft.sourceVersion === undefined ? {} : { sourceVersion: draft.sourceVersion }),
    ...(draft.targetDatasetId === undefined
      ? targetDatasetName === ''
        ? {}
        : { targetDatasetName }
      : { targetDatasetId: draft.targetDatasetId }),
    steps: stepsToSend(draft),
    input: inputToSend(draft),
    onError: draft.onError,
    output:
      draft.outputFormat === 'SOURCE'
        ? { format: 'SOURCE' }
        : { format: draft.outputFormat, shardBytes: draft.shardMiB * mebibyte },
  };
}

/** Formats of a result, the default first. */
export const outputFormats = ['SOURCE', 'PARQUET', 'JSONL', 'JSONL_ZST'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** What can be done with a failed sample, the default first. */
export const onErrors = ['SET_ASIDE', 'KEEP', 'DROP'] as const;
export type OnError = (typeof onErrors)[number];

/** Whether a step masks something that unchanged failed samples in the result would still contain. */
export function masksData({ steps }: Pick<Draft, 'steps'>, operators: readonly Operator[]): boolean {
  return steps.some(({ operatorId }) => operators.find(({ id }) => id === operatorId)?.categories.includes('privacy'));
}
