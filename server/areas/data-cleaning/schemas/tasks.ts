import { type Static, type TObject, Type } from 'typebox';
import { IdSchema, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { idPattern } from '../../../kernel/ids.ts';
import { newTaskSchema, taskChangesSchema, taskSchema } from '../../../tasks/schemas.ts';

export const StepSchema = namedObject('CleaningStep', {
  operatorId: Type.String(),
  version: Type.String(),
  params: Type.Record(Type.String(), Type.Unknown()),
  digest: Type.Optional(Type.String({ description: 'For a published operator: SHA-256 of its package' })),
});

const conditionOperators = ['EQ', 'NE', 'IN', 'LT', 'LE', 'GT', 'GE', 'EXISTS', 'CONTAINS'] as const;

const ConditionOperatorSchema = oneOf('ConditionOperator', conditionOperators);

export const InputSchema = namedObject('CleaningInput', {
  prefix: Type.String({ description: 'Folder to read; empty: all' }),
  fileTypes: Type.Array(Type.String(), { description: 'Extensions to read; empty: all' }),
  exclude: Type.Array(Type.String(), { description: 'Patterns of file paths to exclude' }),
  textField: nullable(Type.String({ description: 'Text column of all tables; null: detected in each table' })),
  textFields: Type.Array(
    namedObject('TextFieldsRule', {
      files: Type.String({ description: 'Pattern of file paths' }),
      fields: Type.Array(Type.String(), { description: 'Columns or paths of the texts' }),
    }),
    { description: 'Text columns by file path; the first matching rule applies and takes precedence over `textField`' },
  ),
  where: Type.Array(
    namedObject('RowCondition', {
      field: Type.String(),
      op: ConditionOperatorSchema,
      value: Type.Unknown(),
    }),
    { description: 'Conditions that rows must meet to be part of the input' },
  ),
  encoding: nullable(
    Type.String({
      description: 'Encoding of text files and tables without a byte order mark; null: detected in each file',
    }),
  ),
});

export type TaskInput = Static<typeof InputSchema>;

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

const MoreSourceSchema = namedObject('CleaningSource', {
  datasetId: IdSchema,
  datasetName: Type.String(),
  version: nullable(Type.Integer({ description: 'Null: the current version at the start of each run' })),
  prefix: Type.String({ description: 'Folder of it to read; empty: all' }),
  folder: Type.String({ description: 'Folder of its files during the run and in the result' }),
});

export type MoreSource = Static<typeof MoreSourceSchema>;

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
    Type.Record(Type.String(), Type.Unknown(), {
      maxProperties: 100,
      description: "According to the operator's schema; defaults are filled in",
    }),
  ),
});

export type NewStep = Static<typeof NewStepSchema>;

export const NewInputSchema = namedObject('NewCleaningInput', {
  prefix: Type.Optional(Type.String({ description: 'Folder to read' })),
  fileTypes: Type.Optional(Type.Array(Type.String(), { maxItems: 100, description: 'Extensions to read' })),
  exclude: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
      maxItems: 100,
      description: 'Patterns of file paths to exclude, written as in `textFields`',
    }),
  ),
  textField: Type.Optional(
    Type.String({
      description:
        'Text column of all tables, or a path to it; default: in each table the column text, otherwise its only string column. ' +
        'Paths read nested values of JSON Lines and Parquet: `doc.text`, `messages[*].content` (all items), `messages[role=assistant].content` (items with ' +
        'this value), `["a.b"].text` (a name with a dot). A column with exactly this name takes precedence. Rows without the value fail; null items of a ' +
        'list have no text and stay unchanged. If messages have their content in parts, `messages[*].content` selects the ' +
        'texts of their text parts',
    }),
  ),
  textFields: Type.Optional(
    Type.Array(
      namedObject('NewTextFieldsRule', {
        files: Type.String({
          minLength: 1,
          maxLength: 1000,
          description:
            'Pattern of file paths: `*` any characters of a name, `**` any folders, `?` one character; a pattern without a slash is matched against the file name',
        }),
        field: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, description: 'The only column or path' })),
        fields: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
            minItems: 1,
            maxItems: 100,
            description:
              'Several columns or paths. Each text of a row goes through all steps: the row is dropped if any text is dropped, fails if any fails, and counts ' +
              'as changed if any changes. Deduplication compares all texts of a row as one',
          }),
        ),
      }),
      {
        maxItems: 100,
        description: 'Text columns by file path; the first matching rule applies and takes precedence over `textField`',
      },
    ),
  ),
  where: Type.Optional(
    Type.Array(
      namedObject('NewRowCondition', {
        field: Type.String({ minLength: 1, maxLength: 1000, description: 'Column, or path into the row' }),
        op: ConditionOperatorSchema,
        value: Type.Optional(
          Type.Unknown({
            description:
              'String, number, boolean or null; a list of them for `IN`; a string or number for `LT`, `LE`, `GT`, `GE`; true (default) or false for `EXISTS`',
          }),
        ),
      }),
      {
        maxItems: 50,
        description:
          'Conditions that table rows must all meet. Other rows are skipped: they are not in `counts.in` or in the ' +
          'target, but counted in `skipped` and listed in the ledger with the reason `WHERE`. Documents have no columns and are checked as rows without values. Missing values and null ' +
          'meet only `NE`, `EXISTS` false and `EQ` null. If a path yields several values, one must meet the condition; for `NE`, all must',
      },
    ),
  ),
  encoding: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'Encoding of all text files and tables without a byte order mark, by a name of the WHATWG Encoding Standard (`utf-8`, `gb18030`, ' +
        '`shift_jis`, `windows-1251` …); default: detected for each file; JSON Lines are UTF-8',
    }),
  ),
});

export type NewInput = Static<typeof NewInputSchema>;

/** For bodies with steps: parameters may contain word lists. */
export const stepsBodyLimit = 256 * 1024;

export const StepsSchema = Type.Array(NewStepSchema, { minItems: 1, maxItems: 100 });

/** Exactly one of the two is required. */
export const stepsOrTemplate = {
  steps: Type.Optional(StepsSchema),
  templateId: Type.Optional(Type.String({ pattern: idPattern, description: 'Template to use instead of `steps`' })),
};

const maxMoreSources = 50;

/** The datasets that are read. */
export const newSourceFields = {
  sourceDatasetId: IdSchema,
  sourceVersion: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Default: the current version at the start of each run' }),
  ),
  sourceFolder: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'With `moreSources`, the folder of the first source, like their `folder`',
    }),
  ),
  moreSources: Type.Optional(
    Type.Array(
      namedObject('NewCleaningSource', {
        datasetId: IdSchema,
        version: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Default: the current version at the start of each run' }),
        ),
        prefix: Type.Optional(Type.String({ description: 'Folder of it to read' })),
        folder: Type.Optional(
          Type.String({
            maxLength: 255,
            description: 'A single name; default: the name of the dataset, adapted if it is not a valid folder name',
          }),
        ),
      }),
      {
        maxItems: maxMoreSources,
        description:
          'Further datasets to read, each once. The files of each source, including the first, are then in a separate folder, during the run and in ' +
          'the result: `web/a.jsonl`. Patterns of `input` apply to these paths; `input.prefix` applies to the first source. Set weights by folder in the ' +
          'step `mix-selector`',
      },
    ),
  ),
};

export type GivenSources = Static<TObject<typeof newSourceFields>>;

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
