import { Type, type Static } from 'typebox';
import { IdSchema, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { DatasetParams } from './datasets.ts';
import { FileRowColumnSchema } from './file-rows.ts';
import { conflictPolicies } from './uploads.ts';

export const QueryVersionQuery = Type.Object({
  version: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The version that is read; default: the current one' }),
  ),
});
export type QueryVersion = Static<typeof QueryVersionQuery>;

const sql = Type.String({
  minLength: 1,
  maxLength: 20_000,
  description:
    'One SELECT, DESCRIBE or SUMMARIZE in the DuckDB dialect, or a PIVOT that lists its values (`ON lang IN (…)`) or an UNPIVOT; no EXPLAIN. Tables are files of the dataset: `files."PATH"`, or a short name if it is unique, such as `train` for `data/train.jsonl`. A sheet is addressed below its workbook: `files."book.xlsx/Sheet 1"`; the workbook itself stands for its first visible sheet',
});

export const QueryBody = namedObject('DatasetQuery', {
  sql,
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Number of rows to skip; default 0' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, description: 'Maximum number of rows to return; default 1,000' }),
  ),
  maxCellCharacters: Type.Optional(
    Type.Integer({ minimum: 32, maximum: 1_000_000, description: 'Longer values are cut; default 10,000' }),
  ),
  queryId: Type.Optional({ ...IdSchema, description: 'Chosen by the caller; used to cancel the query' }),
});
export type QueryRequest = Static<typeof QueryBody>;

const QueryColumnSchema = namedObject('QueryColumn', {
  name: Type.String(),
  type: Type.String({ description: 'DuckDB type' }),
});

export const QueryResultSchema = namedObject('QueryResult', {
  version: Type.Integer({ description: 'The version that was read' }),
  offset: Type.Integer(),
  columns: Type.Array(QueryColumnSchema, { description: 'Column names are unique: the second `a` is `a_1`' }),
  rows: Type.Array(Type.Array(Type.Unknown()), {
    description:
      'Values in column order; integers beyond 2^53, decimals, dates and times as strings. Fewer than `limit` rows if they are long',
  }),
  cut: Type.Array(Type.Array(Type.Integer()), { description: 'Row and column of each truncated value' }),
  hasMore: Type.Boolean({ description: 'More rows follow' }),
  tables: Type.Array(
    namedObject('QueriedTable', {
      fileId: IdSchema,
      filePath: Type.String(),
      sheet: Type.Optional(Type.String({ description: 'Of a workbook' })),
      rows: Type.Integer({ description: 'Rows of the file' }),
      unreadable: Type.Integer({
        description: 'Rows among them that cannot be read and are not part of the table',
      }),
      omittedColumns: Type.Integer({ description: 'Columns beyond 1,000, which are not part of the table' }),
      rounded: Type.Array(Type.String(), {
        description: 'Columns with fractions that have more digits than a double; the query sees the doubles',
      }),
      replaced: Type.Array(Type.String(), {
        description: 'Columns with lone surrogates; the query sees U+FFFD in their place',
      }),
    }),
    { description: 'The files that the query reads' },
  ),
  tookMs: Type.Integer(),
});
export type QueryResult = Static<typeof QueryResultSchema>;

export const QueryParams = Type.Object({ ...DatasetParams.properties, queryId: IdSchema });

export const QueryExportBody = namedObject('QueryExport', {
  sql,
  format: oneOf('QueryFormat', ['CSV', 'JSONL', 'PARQUET']),
});
export type QueryExport = Static<typeof QueryExportBody>;

export const QuerySaveBody = namedObject('QuerySave', {
  sql,
  filePath: Type.String({
    minLength: 1,
    description: 'Path of the new file in the dataset; .csv, .jsonl or .parquet decides the format',
  }),
  onConflict: Type.Optional(oneOf('QueryConflictPolicy', conflictPolicies)),
  message: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Message of the new version; default: the query and the version that it read',
    }),
  ),
});
export type QuerySave = Static<typeof QuerySaveBody>;

export const DatasetTablesSchema = namedObject('DatasetTables', {
  version: Type.Integer(),
  tables: Type.Array(
    namedObject('DatasetTable', {
      fileId: IdSchema,
      filePath: Type.String(),
      sheet: Type.Optional(
        Type.String({ description: 'Name of the sheet, if the file is a workbook; each sheet is a table' }),
      ),
      isHidden: Type.Optional(Type.Boolean({ description: 'Whether the sheet is hidden in its workbook' })),
      fileSize: Type.Integer({ description: 'Bytes' }),
      names: Type.Array(Type.String(), {
        description:
          'Names that a query can use, the quoted path first; a short name that needs quotes is given without them',
      }),
      rows: nullable(Type.Integer({ description: 'Null until its index is built, when the table is first used' })),
      columns: Type.Union([Type.Array(FileRowColumnSchema), Type.Null()], {
        description: 'By their names in SQL; null until the index is built',
      }),
    }),
  ),
});
export type DatasetTables = Static<typeof DatasetTablesSchema>;
