import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf } from '../../../http/schemas.ts';

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
