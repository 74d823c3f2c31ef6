import { Type, type Static } from 'typebox';
import { namedObject, oneOf } from '../../../http/schemas.ts';
import { FileRowColumnSchema, FileRowSchema, FileRowsQuery, sheetName, WorkbookSheetSchema } from './file-rows.ts';
import { VersionDiffQuery } from './version-diffs.ts';

const RowChangeKindSchema = oneOf('RowChangeKind', ['ADDED', 'REMOVED', 'CHANGED']);

export const RowDiffQuery = Type.Object({
  from: VersionDiffQuery.properties.from,
  to: VersionDiffQuery.properties.to,
  path: Type.String({ minLength: 1, description: 'Path of the table at `to`' }),
  fromPath: Type.Optional(Type.String({ minLength: 1, description: 'Path of the table at `from`, if it was moved' })),
  sheet: sheetName,
  key: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description:
        'Key column that identifies matching rows, or a JSON list of several. Without it, rows are compared by content and none is CHANGED',
    }),
  ),
  change: Type.Optional(RowChangeKindSchema),
  offset: Type.Integer({ minimum: 0, default: 0, description: 'Number of changes to skip' }),
  limit: FileRowsQuery.properties.limit,
  maxCellCharacters: FileRowsQuery.properties.maxCellCharacters,
});
export type RowDiffQuery = Static<typeof RowDiffQuery>;

const RowDiffSideSchema = namedObject('RowDiffSide', {
  rows: Type.Integer(),
  unreadable: Type.Integer({ description: 'Unreadable rows, which are not compared' }),
  omittedColumns: Type.Integer({ description: 'Columns beyond 1,000, which are not compared' }),
  columns: Type.Array(FileRowColumnSchema),
});

const RepeatedKeysSchema = Type.Union(
  [
    namedObject('RepeatedKeys', {
      keys: Type.Integer({ description: 'Number of keys shared by several rows' }),
      rows: Type.Integer({ description: 'Number of these rows' }),
    }),
    Type.Null(),
  ],
  { description: 'Rows with the same key are compared in their order; null without a key' },
);

export const RowDiffSchema = namedObject('RowDiff', {
  from: Type.Integer(),
  to: Type.Integer(),
  path: Type.String(),
  fromPath: Type.String(),
  sheet: Type.Optional(Type.String({ description: 'The sheet that is compared, if the table is a workbook' })),
  sheets: Type.Optional(Type.Array(WorkbookSheetSchema, { description: 'The sheets at `to`' })),
  key: Type.Array(Type.String(), { description: 'If empty, rows are compared by content' }),
  before: RowDiffSideSchema,
  after: RowDiffSideSchema,
  columns: namedObject(
    'RowDiffColumns',
    {
      added: Type.Array(FileRowColumnSchema, {
        description: 'A row with a value in one of these columns counts as a different row',
      }),
      removed: Type.Array(FileRowColumnSchema),
      retyped: Type.Array(
        namedObject('RetypedColumn', { name: Type.String(), before: Type.String(), after: Type.String() }),
        { description: 'Equal values of a different type do not count as a change' },
      ),
    },
    { description: 'How the columns differ' },
  ),
  repeatedBefore: RepeatedKeysSchema,
  repeatedAfter: RepeatedKeysSchema,
  summary: namedObject('RowDiffSummary', {
    added: Type.Integer(),
    removed: Type.Integer(),
    changed: Type.Integer({ description: 'Rows with the same key and different values' }),
    unchanged: Type.Integer(),
  }),
  offset: Type.Integer(),
  total: Type.Integer({ description: 'Number of changes of the requested kind' }),
  content: Type.Array(
    namedObject('RowChange', {
      change: RowChangeKindSchema,
      before: Type.Union([FileRowSchema, Type.Null()], { description: 'At `from`; null for an added row' }),
      after: Type.Union([FileRowSchema, Type.Null()], { description: 'At `to`; null for a removed row' }),
      changedColumns: Type.Array(Type.String(), {
        description: 'Columns in which the two differ, even if both values are truncated',
      }),
    }),
    {
      description:
        'At most `limit` changes; fewer if rows are long: then the next page begins at `offset` plus their number',
    },
  ),
});
export type RowDiff = Static<typeof RowDiffSchema>;
