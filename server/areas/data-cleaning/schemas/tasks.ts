import { type Static, type TObject, Type } from 'typebox';
import { IdSchema, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { idPattern } from '../../../kernel/ids.ts';
import { newTaskSchema, taskChangesSchema, taskSchema } from '../../../tasks/schemas.ts';
import { MoreSourceSchema, newSourceFields } from './sources.ts';
import { InputSchema, NewInputSchema } from './inputs.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

export const StepSchema = namedObject('CleaningStep', {
  operatorId: Type.String(),
  version: Type.String(),
  params: recordOf(Type.Unknown()),
  digest: Type.Optional(Type.String({ description: 'For a published operator: SHA-256 of its package' })),
});

export const outputFormats = ['SOURCE', 'PARQUET', 'JSONL', 'JSONL_ZST'] as const;

const OutputSchema = namedObject('CleaningOutput', {
  format: oneOf('OutputFormat', outputFormats),
  shardBytes: nullable(Type.Integer({ description: 'Target size of a file; null for SOURCE' })),
  folderBy: nullable(Type.String({ description: 'Column whose values become the folders of the rows; null: none' })),
});

export type TaskOutput = Static<typeof OutputSchema>;

const NewOutputSchema = namedObject('NewCleaningOutput', {
  format: oneOf('OutputFormat', outputFormats, {
    description:
      '`SOURCE` (the default): paths and formats of the source. `PARQUET`, `JSONL`, `JSONL_ZST`: all rows in files of that format, laid out for `load_dataset` ' +
      '(`data/train-00000-of-00012.parquet`). The result has the columns of all files; a column that a file lacks is null (PARQUET) or missing. Documents become rows ' +
      '`{text, path}`; CSV cells are strings; of Parquet files, all columns are written, with dates, times and binary as strings and NaN as null',
  }),
  shardBytes: Type.Optional(
    Type.Integer({
      minimum: 1 << 20,
      maximum: 2 ** 34,
      description: 'Target size of a file, counted as uncompressed JSON Lines; default: 256 MiB',
    }),
  ),
  folderBy: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Column whose values, at most 200, become the folders of the rows: with the column of `split-writer`, `train/00000-of-00003.jsonl`, `validation/…`, `test/…`, ' +
        'as `load_dataset` reads them. Rows without a value are in `none/`. Not allowed with `SOURCE`',
    }),
  ),
});

export type NewOutput = Static<typeof NewOutputSchema>;

export const onErrors = ['SET_ASIDE', 'KEEP', 'DROP'] as const;

/** Fields of a cleaning task beyond those of all tasks. */
const cleaningFields = {
  sourceDatasetId: IdSchema,
  sourceDatasetName: Type.String(),
  sourceVersion: nullable(Type.Integer({ description: 'Null: the current version at the start of each run' })),
  sourceFolder: nullable(
    Type.String({ description: 'Folder of the files of the source during the run; null if there is only one source' }),
  ),
  moreSources: Type.Array(MoreSourceSchema, { description: 'Further datasets that a run reads' }),
  targetDatasetId: nullable(Type.String({ description: 'Null until a run has created the dataset' })),
  targetDatasetName: Type.String(),
  steps: Type.Array(StepSchema),
  input: InputSchema,
  onError: oneOf('OnError', onErrors),
  output: OutputSchema,
  missingOperators: Type.Array(
    namedObject('MissingOperator', {
      step: Type.Integer({ description: 'Index of the step, from 0' }),
      operatorId: Type.String(),
      version: Type.String(),
    }),
    {
      description:
        'Steps whose published operator is uninstalled, disabled or deleted; the task cannot be executed until it is available again or the step is changed',
    },
  ),
  warnings: Type.Array(Type.String({ description: 'Likely mistakes in the definition' })),
};

export type CleaningFields = Static<TObject<typeof cleaningFields>>;

export const TaskSchema = taskSchema('CleaningTask', cleaningFields);

export type Task = Static<typeof TaskSchema>;

const NewStepSchema = namedObject('NewCleaningStep', {
  operatorId: Type.String({ maxLength: 200 }),
  version: Type.Optional(Type.String({ maxLength: 100, description: 'The installed version' })),
  params: Type.Optional(
    recordOf(Type.Unknown(), {
      maxProperties: 100,
      description: "According to the operator's schema; defaults are filled in",
    }),
  ),
});

export type NewStep = Static<typeof NewStepSchema>;

/** For bodies with steps: parameters may contain word lists. */
export const stepsBodyLimit = 256 * 1024;

export const StepsSchema = Type.Array(NewStepSchema, { minItems: 1, maxItems: 100 });

/** Exactly one of the two is required. */
export const stepsOrTemplate = {
  steps: Type.Optional(StepsSchema),
  templateId: Type.Optional(Type.String({ pattern: idPattern, description: 'Template to use instead of `steps`' })),
};

const newCleaningFields = {
  ...newSourceFields,
  targetDatasetName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "Name of the new dataset; default: the source's name with (cleaned)",
    }),
  ),
  targetDatasetId: Type.Optional(IdSchema),
  ...stepsOrTemplate,
  input: Type.Optional(NewInputSchema),
  output: Type.Optional(NewOutputSchema),
  onError: Type.Optional(
    oneOf('OnError', onErrors, {
      description:
        'How to handle a failed sample: `SET_ASIDE` (the default): it is not written to the target, but its original bytes are stored with the run; `KEEP`: it is ' +
        'written with its original bytes if the format allows, otherwise set aside; `DROP`: only its entry in the ledger is kept',
    }),
  ),
};

export const NewTaskBody = newTaskSchema('NewCleaningTask', newCleaningFields);

export type NewTask = Static<typeof NewTaskBody>;

export const TaskChangesBody = taskChangesSchema('CleaningTaskChanges', newCleaningFields);

export const verdicts = ['KEPT', 'CHANGED', 'DROPPED', 'FAILED', 'SKIPPED'] as const;

export const VerdictSchema = oneOf('Verdict', verdicts);
