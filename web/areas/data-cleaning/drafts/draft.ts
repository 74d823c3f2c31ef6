import type { CleaningTask, NewCleaningTask, Operator } from '../../../api/schema.ts';
import { defaultsOf, fieldsOf, isComplete } from '../../../ui/schema-fields.ts';

/** A step being edited; `key` identifies it while the list is open. */
export type DraftStep = {
  key: string;
  operatorId: string;
  /** Version of a published operator; without it, the installed one. */
  version?: string;
  params: Record<string, unknown>;
};

/** A further source being edited; without a folder, its files are in one named after the dataset. */
export type DraftSource = { datasetId: string; version: number | undefined; prefix: string; folder: string };

/** A task being edited. */
export type Draft = {
  name: string;
  description: string;
  sourceDatasetId: string;
  sourceVersion: number | undefined;
  /** The folder of this source's files when there are other sources; empty: named after the dataset. */
  sourceFolder: string;
  moreSources: DraftSource[];
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
  /** Target size of files, for formats other than the source's. */
  shardMiB: number;
  /** Column whose values become folders; empty: none. */
  folderBy: string;
};

type NewInput = NonNullable<NewCleaningTask['input']>;

/** The text columns of the files that match a pattern. */
export type TextFieldsRule = { files: string; fields: string[] };

const mebibyte = 1 << 20;
const defaultShardMiB = 256;

let lastKey = 0;

export function newStep(operator: Pick<Operator, 'id' | 'paramsSchema'>): DraftStep {
  return stepOf(operator.id, defaultsOf(fieldsOf(operator.paramsSchema)));
}

export function stepOf(operatorId: string, params: Readonly<Record<string, unknown>>, version?: string): DraftStep {
  lastKey += 1;
  return { key: `step-${lastKey}`, operatorId, params: { ...params }, ...(version === undefined ? {} : { version }) };
}

/** The operator of a step, in the version the step names, else in the installed one; the list has both. */
export function operatorOf(
  { operatorId, version }: Pick<DraftStep, 'operatorId' | 'version'>,
  operators: readonly Operator[],
): Operator | undefined {
  const [installed, ...others] = operators.filter(({ id }) => id === operatorId);
  if (version === undefined || installed?.version === version) return installed;
  return others.find((operator) => operator.version === version);
}

/** A step in another version: parameters that exist in both versions are kept, the others get their defaults. */
export function inVersion(step: DraftStep, operator: Pick<Operator, 'version' | 'paramsSchema'>): DraftStep {
  const fields = fieldsOf(operator.paramsSchema);
  const kept = Object.entries(step.params).filter(([name]) => fields.some((field) => field.name === name));
  return { ...step, version: operator.version, params: { ...defaultsOf(fields), ...Object.fromEntries(kept) } };
}

export function emptyDraft(sourceDatasetId = ''): Draft {
  return {
    name: '',
    description: '',
    sourceDatasetId,
    sourceVersion: undefined,
    sourceFolder: '',
    moreSources: [],
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
    folderBy: '',
  };
}

export function draftOf(task: CleaningTask): Draft {
  return {
    name: task.name,
    description: task.description,
    sourceDatasetId: task.sourceDatasetId,
    sourceVersion: task.sourceVersion ?? undefined,
    sourceFolder: task.sourceFolder ?? '',
    moreSources: task.moreSources.map(({ datasetId, version, prefix, folder }) => {
      return { datasetId, version: version ?? undefined, prefix, folder };
    }),
    targetDatasetName: task.targetDatasetName,
    targetDatasetId: task.targetDatasetId ?? undefined,
    // Published steps have a digest and keep their version; built-in ones run in the service's version.
    steps: task.steps.map(({ operatorId, params, version, digest }) =>
      stepOf(operatorId, params, digest === undefined ? undefined : version),
    ),
    prefix: task.input.prefix,
    fileTypes: [...task.input.fileTypes],
    exclude: [...task.input.exclude],
    textField: task.input.textField ?? '',
    textFields: task.input.textFields.map(({ files, fields }) => ({ files, fields: [...fields] })),
    encoding: task.input.encoding ?? '',
    where: [...task.input.where],
    onError: task.onError,
    outputFormat: task.output.format,
    folderBy: task.output.folderBy ?? '',
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
  if (draft.sourceDatasetId === '' || draft.moreSources.some(({ datasetId }) => datasetId === ''))
    problems.push('source');
  if (unclearTables > 0) problems.push('columns');
  if (draft.steps.length === 0) problems.push('steps');
  if (draft.steps.some((step) => !isStepComplete(step, operators))) problems.push('params');
  return problems;
}

export function isStepComplete(step: DraftStep, operators: readonly Operator[]): boolean {
  const operator = operatorOf(step, operators);
  return operator !== undefined && isComplete(fieldsOf(operator.paramsSchema), step.params);
}

type SentStep = { operatorId: string; version?: string; params: Record<string, unknown> };

export function stepsToSend(draft: Pick<Draft, 'steps'>): SentStep[] {
  return draft.steps.map(({ operatorId, version, params }) => ({
    operatorId,
    params,
    ...(version === undefined ? {} : { version }),
  }));
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

type SourceDraft = Pick<Draft, 'sourceDatasetId' | 'sourceVersion' | 'sourceFolder' | 'moreSources'>;
type NewSources = Pick<NewCleaningTask, 'sourceDatasetId' | 'sourceVersion' | 'sourceFolder' | 'moreSources'>;

/** The datasets to read; rows without a chosen dataset are left out. */
export function sourcesToSend({ sourceDatasetId, sourceVersion, sourceFolder, moreSources }: SourceDraft): NewSources {
  const folder = sourceFolder.trim();
  const others = moreSources.flatMap(({ datasetId, version, prefix, folder: own }) => {
    if (datasetId === '') return [];
    const source = { datasetId, ...(version === undefined ? {} : { version }), prefix: prefix.trim() };
    return [own.trim() === '' ? source : { ...source, folder: own.trim() }];
  });
  return {
    sourceDatasetId,
    ...(sourceVersion === undefined ? {} : { sourceVersion }),
    ...(others.length > 0 && folder !== '' ? { sourceFolder: folder } : {}),
    moreSources: others,
  };
}

/** The sources and input that a profile is requested for. */
export function sourceToSend(draft: SourceDraft & Parameters<typeof inputToSend>[0]): NewSources & { input: NewInput } {
  return { ...sourcesToSend(draft), input: inputToSend(draft) };
}

/** Equal weights for a step that mixes the sources: `web=1, "a, b"=1`. */
export function equalWeights(folders: readonly string[]): string {
  return folders
    .map((folder) => (/[",，]/.test(folder) ? `"${folder.replaceAll('"', '""')}=1"` : `${folder}=1`))
    .join(', ');
}

export function taskToSend(draft: Draft): NewCleaningTask {
  const targetDatasetName = draft.targetDatasetName.trim();
  const folderBy = draft.folderBy.trim();
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    ...sourcesToSend(draft),
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
        : {
            format: draft.outputFormat,
            shardBytes: draft.shardMiB * mebibyte,
            ...(folderBy === '' ? {} : { folderBy }),
          },
  };
}

/** Formats of the result, the default first. */
export const outputFormats = ['SOURCE', 'PARQUET', 'JSONL', 'JSONL_ZST'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** What to do with a failed sample, the default first. */
export const onErrors = ['SET_ASIDE', 'KEEP', 'DROP'] as const;
export type OnError = (typeof onErrors)[number];

/** Whether a step masks data that failed samples would still contain if kept unchanged. */
export function masksData({ steps }: Pick<Draft, 'steps'>, operators: readonly Operator[]): boolean {
  return steps.some(({ operatorId }) => operators.find(({ id }) => id === operatorId)?.categories.includes('privacy'));
}
