import { type Static, Type } from 'typebox';
import { IdSchema, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { ChecksSchema, outputSchemaDescription, ParametersSchema } from './generations.ts';
import { MessageSchema, UsageSchema } from './calls.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

export const columnKinds = ['SAMPLER', 'EXPRESSION', 'MODEL', 'JUDGE', 'VALIDATOR'] as const;

export const samplerKinds = ['CATEGORY', 'NUMBER', 'DATE', 'ROW'] as const;

export const codeLanguages = ['JSON', 'JAVASCRIPT', 'TYPESCRIPT', 'PYTHON'] as const;

export const mostColumns = 50;

const columnName = Type.String({
  pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$',
  description: 'Unique in its template; not the name of a variable, nor `text`, `row` or `file`',
});

const date = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });

const figure = { minimum: -1e12, maximum: 1e12 };

/** Fields of all kinds of columns; a field of another kind is refused. */
const columnFields = {
  name: columnName,
  kind: oneOf('SynthesisColumnKind', columnKinds),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  hidden: Type.Optional(
    Type.Boolean({ description: 'Used by other columns but not part of the record; a VALIDATOR is never part of it' }),
  ),
  sampler: Type.Optional(
    oneOf('SynthesisSampler', samplerKinds, {
      description:
        'SAMPLER: a value that depends only on seed, column, sample and record number, so that other columns and samples do not affect it',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'SAMPLER: a different seed draws different values',
    }),
  ),
  values: Type.Optional(
    Type.Array(
      namedObject('SynthesisCategory', {
        value: Type.String({ minLength: 1, maxLength: 10_000 }),
        weight: Type.Optional(Type.Number({ minimum: 0, maximum: 1e9, description: 'Relative frequency; default: 1' })),
      }),
      { minItems: 1, maxItems: 1000, description: 'CATEGORY: the values to draw from' },
    ),
  ),
  minimum: Type.Optional(Type.Number({ ...figure, description: 'NUMBER: the minimum' })),
  maximum: Type.Optional(Type.Number({ ...figure, description: 'NUMBER: the maximum' })),
  decimals: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 6, description: 'NUMBER: decimal places; default: 0, for integers' }),
  ),
  from: Type.Optional(Type.String({ ...date, description: 'DATE: the first day' })),
  to: Type.Optional(Type.String({ ...date, description: 'DATE: the last day' })),
  datasetId: Type.Optional(
    Type.String({
      ...IdSchema,
      description: 'ROW: dataset from whose tables a row is drawn, among the first 10,000. `{{name.COLUMN}}` is a cell',
    }),
  ),
  prefix: Type.Optional(Type.String({ maxLength: 1000, description: 'ROW: folder or file of the dataset' })),
  expression: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 10_000,
      description:
        'EXPRESSION: in the Common Expression Language (CEL), over columns, variables, `text`, `row` and `file.path`: ' +
        '`price > 10.0 ? "dear" : "cheap"`',
    }),
  ),
  systemPrompt: Type.Optional(nullable(Type.String({ maxLength: 50_000, description: 'MODEL' }))),
  prompt: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 50_000,
      description:
        'MODEL: like the prompt of a template, also with `{{COLUMN}}` and, for a column that is an object, `{{COLUMN.FIELD}}`',
    }),
  ),
  model: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'MODEL, JUDGE: id of a model of the kind CHAT; default: the model of the task',
      }),
    ),
  ),
  parameters: Type.Optional(ParametersSchema),
  outputSchema: Type.Optional(
    Type.Union([recordOf(Type.Unknown(), { maxProperties: 50 }), Type.Null()], {
      description: `MODEL: makes the value an object; without it, the value is the text of the reply. ${outputSchemaDescription}`,
    }),
  ),
  checks: Type.Optional(ChecksSchema),
  of: Type.Optional(
    Type.Array(columnName, {
      minItems: 1,
      maxItems: mostColumns,
      description: 'JUDGE, VALIDATOR: the columns to check',
    }),
  ),
  rubric: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000, description: 'JUDGE: what to grade and how' })),
  minScore: Type.Optional(
    nullable(
      Type.Number({
        minimum: 0,
        maximum: 10,
        description: 'JUDGE: records with a lower score are dropped; default: none. The value is `{score, reason}`',
      }),
    ),
  ),
  schema: Type.Optional(
    recordOf(Type.Unknown(), {
      maxProperties: 50,
      description: 'VALIDATOR: JSON Schema of the value; a text is parsed as JSON',
    }),
  ),
  pattern: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'VALIDATOR: regular expression in RE2 syntax that must match part of the text',
    }),
  ),
  minCharacters: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'VALIDATOR' })),
  maxCharacters: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'VALIDATOR' })),
  code: Type.Optional(
    oneOf('SynthesisCodeLanguage', codeLanguages, {
      description:
        'VALIDATOR: the text must be code in this language without syntax errors; a surrounding code fence is ignored',
    }),
  ),
};

export const ColumnSchema = namedObject('SynthesisColumn', columnFields, {
  description:
    'One column of the records. References in `{{…}}`, expressions and `of` determine the order; a record that a column fails or drops ' +
    'names the column, and later columns are not generated',
});

export type RecordColumn = Static<typeof ColumnSchema>;

const valueFields = {
  name: Type.String(),
  kind: oneOf('SynthesisColumnKind', columnKinds),
  value: Type.Unknown({ description: 'Null if it was not generated' }),
  messages: Type.Array(MessageSchema, { description: 'Prompt sent to the model; empty for other kinds' }),
  usage: Type.Union([UsageSchema, Type.Null()], { description: 'Null if no model was called' }),
};

export const ColumnValueSchema = namedObject('SynthesisColumnValue', valueFields);

export type ColumnView = Static<typeof ColumnValueSchema>;
