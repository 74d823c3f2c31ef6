import { Type, type Static } from 'typebox';
import { codeFields, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { FileQuery } from './files.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

export const sheetName = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: 'Name of a sheet, if the file is a workbook; default: the first visible one',
  }),
);

export const FileRowsQuery = Type.Object({
  ...FileQuery.properties,
  sheet: sheetName,
  offset: Type.Integer({ minimum: 0, default: 0, description: 'Number of matching rows to skip' }),
  limit: Type.Integer({ minimum: 0, maximum: 1_000, default: 100 }),
  where: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description:
        'JSON: conditions `{field, op, value}` that must all hold, as in the input of a cleaning task; a `field` is a column or a path of names into it',
    }),
  ),
  search: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'Part of any column; literal, not case-sensitive' }),
  ),
  sort: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'COLUMN,asc or COLUMN,desc; rows without a value come last' }),
  ),
  unreadable: Type.Boolean({ default: false, description: 'Only unreadable rows' }),
  maxCellCharacters: Type.Integer({
    minimum: 32,
    maximum: 1_000_000,
    default: 10_000,
    description: 'Longer values are truncated; a list or object is truncated as JSON',
  }),
});
export type FileRowsQuery = Static<typeof FileRowsQuery>;

const columnFields = {
  name: Type.String(),
  type: Type.String({
    description:
      'BOOLEAN, BIGINT, HUGEINT, DOUBLE, VARCHAR, DATE, TIMESTAMP, lists `T[]`, `STRUCT(…)`, JSON for lists or objects among other values, or a type of Parquet',
  }),
  isMixed: Type.Optional(
    Type.Literal(true, {
      description: 'VARCHAR with numbers or booleans among its texts: filtered, sorted and queried as text',
    }),
  ),
  hasDigits: Type.Optional(
    Type.Literal(true, {
      description:
        'Some of its fractions have more digits than a double. Rows, version comparisons and counts of distinct values use all digits; SQL, order conditions and paths use doubles',
    }),
  ),
  hasHalves: Type.Optional(
    Type.Literal(true, {
      description:
        'Some of its texts contain lone surrogates. Rows and version comparisons keep them; SQL, searches, conditions and statistics use U+FFFD in their place',
    }),
  ),
  given: Type.Optional(
    Type.String({
      description:
        'Name of the column in the header if it is a duplicate or empty: the second `a` is `a_2`, an empty one `column_2`',
    }),
  ),
};

export const FileRowColumnSchema = namedObject('FileRowColumn', columnFields);

export const FileRowSchema = namedObject('FileRow', {
  row: Type.Integer({ description: 'Number in the file, from 1, as in the ledger of a run' }),
  line: nullable(
    Type.Integer({ description: 'First line of the row, from 1; in a sheet its row number; null in Parquet' }),
  ),
  values: Type.Union([recordOf(Type.Unknown()), Type.Null()], {
    description:
      'By column; integers beyond 2^53 as strings, CSV and TSV cells as strings. Null if the row cannot be read',
  }),
  cut: Type.Array(Type.String(), { description: 'Columns whose value was truncated' }),
  problem: nullable(Type.String({ description: 'Why the row cannot be read' })),
  ...codeFields('problem'),
  text: nullable(Type.String({ description: 'Text of the row, if it cannot be read' })),
});

const FileSearchIndexState = oneOf('FileSearchIndexState', ['READY', 'BUILDING', 'NONE'], {
  description:
    'READY: searches read only the parts of the table that may contain matches. BUILDING: until the index is ready, they read the whole table. NONE: they read the whole table, because it is small or the index could not be built',
});
export type FileSearchIndexState = Static<typeof FileSearchIndexState>;

const someCells = {
  count: Type.Integer(),
  first: nullable(Type.String({ description: 'The first such cell, such as `B7`' })),
};

export const WorkbookSheetSchema = namedObject('WorkbookSheet', { name: Type.String(), isHidden: Type.Boolean() });

const SheetReceiptSchema = namedObject('SheetReceipt', {
  sheet: Type.String({ description: 'The sheet that is shown' }),
  sheets: Type.Array(WorkbookSheetSchema, {
    description: 'All sheets with cells, in their order',
  }),
  headerRow: nullable(
    Type.Integer({
      description: 'Row of the sheet that contains the column names; null: columns are named by letters',
    }),
  ),
  rowsAbove: Type.Array(namedObject('RowAboveHeader', { row: Type.Integer(), text: Type.String() }), {
    description: 'Non-empty rows above the header, which are not part of the table',
  }),
  rows: Type.Integer(),
  emptyRows: Type.Integer({ description: 'Empty rows between others' }),
  mergedRanges: Type.Integer({ description: 'Ranges of merged cells; their value is in the first cell' }),
  errorCells: Type.Array(namedObject('SheetErrorCells', { error: Type.String(), ...someCells }), {
    description: 'Cells with errors such as `#DIV/0!`, which have no value in the table',
  }),
  formulasWithoutValue: namedObject('SheetFormulas', someCells, {
    description: 'Formulas without a stored value, which have no value in the table',
  }),
});

export const FileRowsSchema = namedObject('FileRows', {
  offset: Type.Integer(),
  columns: Type.Array(FileRowColumnSchema, {
    description: 'Until the index is ready, only the columns of the first rows',
  }),
  content: Type.Array(FileRowSchema, {
    description:
      'At most `limit` rows; fewer if they are long: then the next page begins at `offset` plus their number',
  }),
  total: nullable(
    Type.Integer({
      description: 'Number of matching rows; null until known: if counting takes long, it continues in the background',
    }),
  ),
  unreadable: nullable(Type.Integer({ description: 'Unreadable rows of the table; null until known' })),
  omittedColumns: Type.Integer({ description: 'Columns beyond 1,000, which are shown but cannot be searched' }),
  indexProgress: Type.Optional(Type.Integer({ description: 'Progress of building the index, in percent' })),
  text: Type.Optional(
    namedObject(
      'FileRowsText',
      {
        encoding: Type.String({ description: 'Name in the Encoding Standard, such as utf-8' }),
        isCertain: Type.Boolean({
          description: 'Whether all bytes are valid in the encoding; otherwise it was guessed',
        }),
        delimiter: nullable(Type.String({ description: 'Delimiter of CSV and TSV' })),
        quotes: nullable(
          oneOf('TableQuotes', ['DOUBLED', 'BACKSLASH', 'NONE'], {
            description:
              'How CSV and TSV write a quote within quotes: doubled, or after a backslash. NONE: quotes are ordinary characters',
          }),
        ),
        endsAtReturns: Type.Boolean({ description: 'Whether a CR alone ends rows, too' }),
        above: Type.Array(Type.String(), {
          description:
            'Beginnings of the lines above the header that are not part of the table: titles, comments, `sep=…`',
        }),
      },
      { description: 'How the bytes of a text-based table are read; available with the index' },
    ),
  ),
  workbook: Type.Optional(SheetReceiptSchema),
  index: oneOf('FileIndexState', ['READY', 'BUILDING'], {
    description: 'Types, totals, search and sort require the index, which is built when a table is first viewed',
  }),
  searchIndex: FileSearchIndexState,
});
export type FileRows = Static<typeof FileRowsSchema>;

export const FileColumnsQuery = Type.Object({ ...FileQuery.properties, sheet: sheetName });
export type FileColumnsQuery = Static<typeof FileColumnsQuery>;

const ColumnFiguresSchema = namedObject('ColumnFigures', {
  ...columnFields,
  nulls: Type.Integer({ description: 'Readable rows without a value' }),
  distinct: Type.Integer({ description: 'Number of distinct values' }),
  min: nullable(Type.String({ description: 'As text; truncated if long' })),
  max: nullable(Type.String()),
  nan: Type.Integer({
    description: 'Rows whose value is NaN; min, max and mean ignore them, and mean also ignores infinities',
  }),
  mean: nullable(Type.Number()),
  histogram: Type.Array(
    namedObject('ColumnHistogramBin', { from: Type.Number(), to: Type.Number(), count: Type.Integer() }),
    { description: 'Histogram of numbers, or of text lengths in characters' },
  ),
  lengths: Type.Union(
    [namedObject('ColumnLengths', { min: Type.Integer(), mean: Type.Number(), max: Type.Integer() }), Type.Null()],
    { description: 'Lengths of texts in characters' },
  ),
  top: Type.Array(namedObject('ColumnValue', { value: Type.String(), count: Type.Integer() }), {
    description: 'The most frequent values, compared by their first 200 characters',
  }),
});

export const FileColumnsSchema = namedObject('FileColumns', {
  columns: Type.Array(ColumnFiguresSchema),
  rows: Type.Integer(),
  duplicates: Type.Integer({ description: 'Readable rows with the same values as an earlier row' }),
  unreadable: Type.Integer({ description: 'Unreadable rows' }),
  omittedColumns: Type.Integer({ description: 'Columns beyond 1,000, which have no statistics' }),
});
export type FileColumns = Static<typeof FileColumnsSchema>;
