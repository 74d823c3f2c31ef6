import type { Condition } from '../conditions.ts';
import type { RowFormat, TableLayout } from '../table-layout.ts';
import type { ListSheetsRequest, SheetReceipt, SheetRequest, ListedSheet } from '../workbooks/workbook-protocol.ts';

/** The bytes of a table on this machine. */
export type ViewSource = { path: string; offset: number; sizeBytes: number; format: RowFormat | 'parquet' };

/**
 * A column as people see it; `type` is one of DuckDB, JSON for lists or objects among values of other kinds. A VARCHAR that `isMixed` holds
 * numbers or truth values among texts: the index has their JSON, and people ask for their texts. A column that `hasDigits` has some fractions with
 * more digits than a double, one that `hasHalves` some halves of characters, which the library refuses: the index has these values as JSON in columns of
 * their own (see exactPartsOf). One that `hasTexts` has cells that the library writes otherwise, such as 2.50: the index has these beside (`t0`). `given`: its name in the header, where that stands twice or is empty.
 */
export type ViewColumn = {
  name: string;
  type: string;
  isMixed?: true;
  hasDigits?: true;
  hasHalves?: true;
  hasTexts?: true;
  given?: string;
};

/**
 * What an index knows of its table. Its file is Parquet: the columns as `c0`, `c1` …, with the place of each row in `start`,
 * `length` and `line`, and why it can't be read in `problem`. Or it `hasPlaces` of its own between the groups of rows and the footer (see
 * row-places.ts), and no such columns; then all rows are lines that can be read.
 */
export type ViewFacts = {
  columns: ViewColumn[];
  rows: number;
  /** Rows that can't be read. */
  unreadable: number;
  /** Columns beyond the limit, which are shown and not indexed. */
  omittedColumns: number;
  layout: TableLayout | null;
  hasPlaces?: true;
};

/** An index and the table that it belongs to; `searchPath`: its index for searches, if there is one. */
export type IndexedTable = { source: ViewSource; indexPath: string; searchPath: string | null; facts: ViewFacts };

/** What an index for searches knows of itself. */
export type SearchFacts = { blocks: number };

/** A list of the numbers of all chosen rows. */
export type RowList = { path: string; total: number };

export type RowRange = { offset: number; limit: number; maxCellCharacters: number };

export type RowChoice = {
  where: readonly Condition[];
  /** Part of any column; empty for none. */
  search: string;
  sort: { name: string; isDescending: boolean } | null;
  /** Only rows that can't be read. */
  isUnreadable: boolean;
};

/** Reads rows from the beginning of the file, without an index. */
export type DirectRequest = { kind: 'direct'; source: ViewSource } & RowRange;

/** Reads the whole table once and writes its index to `indexPath`. */
export type BuildRequest = { kind: 'build'; source: ViewSource; indexPath: string };

/** `listed`: the list of the chosen rows, if it is known. Rows are counted for `countMs` at most. */
export type RowsRequest = { kind: 'rows'; table: IndexedTable; listed: RowList | null; countMs: number } & RowRange &
  RowChoice;

/** Writes the list of the chosen rows, in the order of the file. */
export type ListRequest = { kind: 'list'; table: IndexedTable; listPath: string } & RowChoice;

/** Writes the index for searches of an indexed table. */
export type SearchIndexRequest = { kind: 'search-index'; table: IndexedTable; searchPath: string };

export type ColumnsRequest = { kind: 'columns'; table: IndexedTable };

/** Two tables as versions of one; without key columns, rows are the same that have the same content. */
type TablePair = { before: IndexedTable; after: IndexedTable; comparisonPath: string };

/** Writes a comparison: the numbers of the rows that differ. */
export type CompareRequest = { kind: 'compare'; key: readonly string[] } & TablePair;

/** Reads a page of a comparison. */
export type ChangesRequest = { kind: 'changes'; change: RowChangeKind | null } & TablePair & RowRange;

export type RowChangeKind = 'ADDED' | 'REMOVED' | 'CHANGED';

export type RowChange = {
  change: RowChangeKind;
  before: ViewRow | null;
  after: ViewRow | null;
  changedColumns: string[];
};

export type RepeatedKeys = { keys: number; rows: number };

export type ComparisonFacts = {
  added: number;
  removed: number;
  changed: number;
  unchanged: number;
  /** Keys that several rows have; null without key columns. */
  repeatedBefore: RepeatedKeys | null;
  repeatedAfter: RepeatedKeys | null;
  columns: {
    added: ViewColumn[];
    removed: ViewColumn[];
    retyped: { name: string; before: string; after: string }[];
  };
};

export type ViewRequest =
  | DirectRequest
  | BuildRequest
  | SearchIndexRequest
  | RowsRequest
  | ListRequest
  | ColumnsRequest
  | CompareRequest
  | ChangesRequest
  | ListSheetsRequest
  | SheetRequest;

export type ViewRow = {
  row: number;
  line: number | null;
  /** Null if the row can't be read. Whole numbers beyond 2^53 are strings of all their digits. */
  values: Record<string, unknown> | null;
  /** Columns whose value was cut. */
  cut: string[];
  problem: string | null;
  /** Its text, if it can't be read. */
  text: string | null;
};

export type ViewPage = {
  columns: ViewColumn[];
  rows: ViewRow[];
  /** Number of rows that were chosen; null as long as it is not known. */
  total: number | null;
  unreadable: number | null;
  omittedColumns: number;
};

export type ColumnFigures = ViewColumn & {
  nulls: number;
  /** Values that are not the same. */
  distinct: number;
  min: string | null;
  max: string | null;
  /** Rows whose value is NaN; the least, the greatest and the mean are those of the others. */
  nan: number;
  mean: number | null;
  /** Equal steps between min and max of numbers, or of the lengths of texts. */
  histogram: { from: number; to: number; count: number }[];
  lengths: { min: number; mean: number; max: number } | null;
  top: { value: string; count: number }[];
};

export type TableFigures = {
  columns: ColumnFigures[];
  /** Readable rows whose values stand in an earlier row, too. */
  duplicates: number;
};

/** `problem`: why the table can't be read, in plain words. */
export type ViewAnswer =
  | { page: ViewPage }
  | { facts: ViewFacts }
  | { figures: TableFigures }
  | { search: SearchFacts }
  | { listed: number }
  | { comparison: ComparisonFacts }
  | { changes: RowChange[] }
  | { sheets: ListedSheet[] }
  | { receipt: SheetReceipt }
  | { problem: string };

export type ViewLimits = { memoryBytes: number; directory: string };
