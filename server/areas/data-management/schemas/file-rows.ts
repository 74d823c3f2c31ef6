import { Type, type Static } from 'typebox';
import { codeFields, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { FileQuery } from './files.ts';

export const sheetName = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: 'Name of a sheet, if the file is a workbook; default: the first one that is not hidden',
  }),
);

export const FileRowsQuery = Type.Object({
  ...FileQuery.properties,
  sheet: sheetName,
  offset: Type.Integer({ minimum: 0, default: 0, description: 'Number of chosen rows before the first one returned' }),
  limit: Type.Integer({ minimum: 0, maximum: 1_000, default: 100 }),
  where: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description:
        'JSON: conditions `{field, op, value}` that must all hold, as in the input of a cleaning task; a `field` is a column or a path of names into it',
    }),
  ),
  search: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'Part of any column, taken literally, without regard to case' }),
  ),
  sort: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'COLUMN,asc or COLUMN,desc; rows without a value come last' }),
  ),
  unreadable: Type.Boolean({ default: false, description: 'Only rows that can not be read' }),
  maxCellCharacters: Type.Integer({
    minimum: 32,
    maximum: 1_000_000,
    default: 10_000,
    description: 'Longer values are cut; a list or an object is cut as its JSON',
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
      description: 'VARCHAR that holds numbers or truth values among texts: it is filtered, sorted and queried as text',
    }),
  ),
  hasDigits: Type.Optional(
    Type.Literal(true, {
      description:
        'Some of its fractions have more digits than a double: rows, comparisons of versions and numbers of different values have them. SQL, conditions on order and paths have the doubles',
    }),
  ),
  hasHalves: Type.Optional(
    Type.Literal(true, {
      description:
        'Some of its texts have halves of characters (lone surrogates): rows and comparisons of versions have them. SQL, searches, conditions and figures have U+FFFD in their place',
    }),
  ),
  given: Type.Optional(
    Type.String({
      description:
        'Name of the column in the header, which another one has, too, or which is empty: the second `a` is `a_2`, an empty one `column_2`',
    }),
  ),
};

export const FileRowColumnSchema = namedObject('FileRowColumn', columnFields);

export const FileRowSchema = namedObject('FileRow', {
  row: Type.Integer({ description: 'Number in the file, from 0, as in the ledger of a run' }),
  line: nullable(
    Type.Integer({ description: 'Its first line, from 1; in a sheet the number of its row; null in Parquet' }),
  ),
  values: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
    description:
      'By column; whole numbers beyond 2^53 as strings, cells of CSV and TSV as their text. Null if the row can not be read',
  }),
  cut: Type.Array(Type.String(), { description: 'Columns whose value was cut' }),
  problem: nullable(Type.String({ description: 'Why the row can not be read' })),
  ...codeFields('problem'),
  text: nullable(Type.String({ description: 'Its text, if it can not be read' })),
});

const FileSearchIndexState = oneOf('FileSearchIndexState', ['READY', 'BUILDING', 'NONE'], {
  description:
    'READY: searches read only the parts of the table that may have what they look for. BUILDING: until then they read all of it. NONE: they read all of it, as the table is small, or the index could not be built',
});
export type FileSearchIndexState = Static<typeof FileSearchIndexState>;

const someCells = {
  count: Type.Integer(),
  first: nullable(Type.String({ description: 'The first such cell, as `B7`' })),
};

export const WorkbookSheetSchema = namedObject('WorkbookSheet', { name: Type.String(), isHidden: Type.Boolean() });

const SheetReceiptSchema = namedObject('SheetReceipt', {
  sheet: Type.String({ description: 'The sheet that is shown' }),
  sheets: Type.Array(WorkbookSheetSchema, {
    description: 'All sheets with cells, in their order',
  }),
  headerRow: nullable(
    Type.Integer({ description: 'Row of the sheet with the names of the columns; null: they are named by letters' }),
  ),
  rowsAbove: Type.Array(namedObject('RowAboveHeader', { row: Type.Integer(), text: Type.String() }), {
    description: 'Filled rows above the header, which are no rows of the table',
  }),
  rows: Type.Integer(),
  emptyRows: Type.Integer({ description: 'Rows without a value between others' }),
  mergedRanges: Type.Integer({ description: 'Ranges of merged cells: their value stands in the first cell' }),
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
    description: 'Until the index is ready, those of the first rows',
  }),
  content: Type.Array(FileRowSchema, {
    description:
      'At most `limit` rows; fewer where they are long: then the next page begins at `offset` and their number',
  }),
  total: nullable(
    Type.Integer({
      description:
        'Number of chosen rows; null until it is known: where counting takes long, it goes on in the background',
    }),
  ),
  unreadable: nullable(Type.Integer({ description: 'Rows of the table that can not be read; null until it is known' })),
  omittedColumns: Type.Integer({ description: 'Columns that are shown but can not be searched: those beyond 1,000' }),
  indexProgress: Type.Optional(Type.Integer({ description: 'Percent of the index that is being built' })),
  text: Type.Optional(
    namedObject(
      'FileRowsText',
      {
        encoding: Type.String({ description: 'Name in the Encoding Standard, such as utf-8' }),
        isCertain: Type.Boolean({ description: 'Whether all bytes agree with the encoding; else it was guessed' }),
        delimiter: nullable(Type.String({ description: 'Between the cells of CSV and TSV' })),
      },
      { description: 'How the bytes of a table in text are read; with the index' },
    ),
  ),
  workbook: Type.Optional(SheetReceiptSchema),
  index: oneOf('FileIndexState', ['READY', 'BUILDING'], {
    description: 'Types, totals, search and sort come with the index, which is built when a table is first looked into',
  }),
  searchIndex: FileSearchIndexState,
});
export type FileRows = Static<typeof FileRowsSchema>;

export const FileColumnsQuery = Type.Object({ ...FileQuery.properties, sheet: sheetName });
export type FileColumnsQuery = Static<typeof FileColumnsQuery>;

const ColumnFiguresSchema = namedObject('ColumnFigures', {
  ...columnFields,
  nulls: Type.Integer({ description: 'Readable rows without a value' }),
  distinct: Type.Integer({ description: 'Number of different values' }),
  min: nullable(Type.String({ description: 'As text; of a long text the beginning' })),
  max: nullable(Type.String()),
  nan: Type.Integer({
    description: 'Rows whose value is NaN: min, max and mean are those of the others, mean also without infinities',
  }),
  mean: nullable(Type.Number()),
  histogram: Type.Array(
    namedObject('ColumnHistogramBin', { from: Type.Number(), to: Type.Number(), count: Type.Integer() }),
    { description: 'Of numbers, or of the lengths of texts in characters' },
  ),
  lengths: Type.Union(
    [namedObject('ColumnLengths', { min: Type.Integer(), mean: Type.Number(), max: Type.Integer() }), Type.Null()],
    { description: 'Lengths of texts in characters' },
  ),
  top: Type.Array(namedObject('ColumnValue', { value: Type.String(), count: Type.Integer() }), {
    description: 'The most frequent values, by their first 200 characters',
  }),
});

export const FileColumnsSchema = namedObject('FileColumns', {
  columns: Type.Array(ColumnFiguresSchema),
  rows: Type.Integer(),
  duplicates: Type.Integer({ description: 'Readable rows whose values stand in an earlier row, too' }),
  unreadable: Type.Integer({ description: 'Rows that can not be read' }),
  omittedColumns: Type.Integer({ description: 'Columns without figures: those beyond 1,000' }),
});
export type FileColumns = Static<typeof FileColumnsSchema>;
