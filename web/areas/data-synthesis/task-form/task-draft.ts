import type {
  NewSynthesisTask,
  SynthesisBudget,
  SynthesisChecks,
  SynthesisFormat,
  SynthesisJudge,
  SynthesisTask,
  SynthesisTemplate,
} from '../../../api/schema.ts';

/** A synthesis task while it is being filled in. */
export type TaskDraft = {
  name: string;
  description: string;
  sourceDatasetId: string | undefined;
  sourceVersion: number | undefined;
  prefix: string;
  fileTypes: string[];
  textField: string;
  maxSamples: number | undefined;
  chunkSize: number;
  chunkOverlap: number;
  templateId: string;
  /** Undefined: the latest version. */
  templateVersion: number | undefined;
  variables: Record<string, string>;
  model: string;
  perSample: number;
  checks: SynthesisChecks;
  judge: SynthesisJudge | undefined;
  budget: SynthesisBudget;
  target: 'new' | 'existing';
  targetDatasetId: string | undefined;
  targetDatasetName: string;
  format: SynthesisFormat;
  provenance: boolean;
};

export const defaultChunk = { size: 2000, overlap: 0 } as const;

export function newDraft(sourceDatasetId: string | undefined, templateId: string): TaskDraft {
  return {
    name: '',
    description: '',
    sourceDatasetId,
    sourceVersion: undefined,
    prefix: '',
    fileTypes: [],
    textField: '',
    maxSamples: undefined,
    chunkSize: defaultChunk.size,
    chunkOverlap: defaultChunk.overlap,
    templateId,
    templateVersion: undefined,
    variables: {},
    model: 'builtin-cloze',
    perSample: 1,
    checks: {},
    judge: undefined,
    budget: {},
    target: 'new',
    targetDatasetId: undefined,
    targetDatasetName: '',
    format: 'RAW',
    provenance: true,
  };
}

export function draftOf(task: SynthesisTask): TaskDraft {
  return {
    name: task.name,
    description: task.description,
    sourceDatasetId: task.sourceDatasetId,
    sourceVersion: task.sourceVersion ?? undefined,
    prefix: task.input.prefix,
    fileTypes: task.input.fileTypes,
    textField: task.input.textField ?? '',
    maxSamples: task.maxSamples ?? undefined,
    chunkSize: task.chunking.size,
    chunkOverlap: task.chunking.overlap,
    templateId: task.templateId,
    templateVersion: task.templateVersion,
    variables: task.variables,
    model: task.model,
    perSample: task.perSample,
    checks: task.checks,
    judge: task.judge ?? undefined,
    budget: task.budget,
    target: task.targetDatasetId === null ? 'new' : 'existing',
    targetDatasetId: task.targetDatasetId ?? undefined,
    targetDatasetName: task.targetDatasetId === null ? task.targetDatasetName : '',
    format: task.format,
    provenance: task.provenance,
  };
}

/**
 * The request body for a draft. When a task is edited, chunking fields that the form does not show keep their values.
 */
export function bodyOf(draft: TaskDraft & { sourceDatasetId: string }, before?: SynthesisTask): NewSynthesisTask {
  const { prefix, fileTypes, textField, chunkSize, chunkOverlap, target, targetDatasetId, targetDatasetName } = draft;
  const { strategy, unit, separators } = before?.chunking ?? { strategy: 'RECURSIVE', unit: 'CHARACTERS' };
  return {
    name: draft.name,
    description: draft.description,
    sourceDatasetId: draft.sourceDatasetId,
    sourceVersion: draft.sourceVersion ?? null,
    input: { prefix, fileTypes, ...(textField.trim() === '' ? {} : { textField: textField.trim() }) },
    maxSamples: draft.maxSamples ?? null,
    chunking: {
      strategy,
      unit,
      size: chunkSize,
      overlap: chunkOverlap,
      ...(separators === undefined ? {} : { separators }),
    },
    templateId: draft.templateId,
    ...(draft.templateVersion === undefined ? {} : { templateVersion: draft.templateVersion }),
    variables: draft.variables,
    model: draft.model,
    perSample: draft.perSample,
    checks: draft.checks,
    judge: draft.judge ?? null,
    budget: draft.budget,
    ...(target === 'existing' && targetDatasetId !== undefined
      ? { targetDatasetId }
      : targetDatasetName.trim() === ''
        ? {}
        : { targetDatasetName: targetDatasetName.trim() }),
    format: draft.format,
    provenance: draft.provenance,
  };
}

/** The first variable of a template that has neither a value nor a default. */
export function missingVariable(
  { variables }: TaskDraft,
  template: Pick<SynthesisTemplate, 'variables'> | undefined,
): string | undefined {
  return template?.variables.find(({ name, default: given }) => given === undefined && (variables[name] ?? '') === '')
    ?.name;
}

/** Whether a draft can be saved; the service validates the rest. */
export function isComplete(draft: TaskDraft, template: Pick<SynthesisTemplate, 'variables'> | undefined): boolean {
  return (
    draft.sourceDatasetId !== undefined &&
    template !== undefined &&
    missingVariable(draft, template) === undefined &&
    (draft.target === 'new' || draft.targetDatasetId !== undefined) &&
    (draft.judge === undefined || draft.judge.rubric.trim() !== '')
  );
}

/** The model of a draft, which refers to it by name or id. */
export function modelOf<Model extends { id: string; name: string }>(
  { model }: TaskDraft,
  models: readonly Model[] | undefined,
): Model | undefined {
  return models?.find(({ id, name }) => id === model || name === model);
}
