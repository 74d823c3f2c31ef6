import type { Reason } from '../../kernel/sentences/index.ts';
import type { Condition } from '../conditions.ts';
import type { UnpackLimits } from '../compression/unpack-gauge.ts';
import type { RowFormat, TableLayout } from '../table-layout.ts';
import type { ListSheetsRequest, SheetReceipt, SheetRequest, ListedSheet } from '../workbooks/workbook-protocol.ts';

/** Where a table's bytes are on this machine. */
export type ViewSource = { path: string; offset: number; sizeBytes: number; format: RowFormat | 'parquet' };

/** A column as shown to users. */
export type ViewColumn = {
  name: string;
  /** A DuckDB type; JSON for lists or objects mixed with other kinds. */
  type: string;
  /** A VARCHAR column with numbers or truth values among texts: the index stores their JSON, queries see their texts. */
  isMixed?: true;
  /** Some fractions have more digits than a double; the index keeps them as JSON in another column (`exactPartsOf`). */
  hasDigits?: true;
  /** Some texts have lone surrogates, which the library rejects; the index keeps them like digits. */
  hasHalves?: true;
  /** The library writes some cells differently, such as 2.50; the index keeps their texts in `t0` etc. */
  hasTexts?: true;
  /** The name in the header, if that is a duplicate or empty. */
  given?: string;
};

/**
 * Metadata of an index. A Parquet file is usually its own index. Every other index is Parquet: the columns as `c0`, `c1` …, the position of each row in `start`, `length`
 * and `line`, and in `problem` why it can't be read. If `hasPlaces`, the positions are instead stored between the row
 * groups and the footer (see row-places.ts); then all rows are readable lines.
 */
export type ViewFacts = {
  columns: ViewColumn[];
  rows: number;
  /** Rows that can't be read. */
  unreadable: number;
  /** Columns beyond the limit, which are shown but not indexed. */
  omittedColumns: number;
  layout: TableLayout | null;
  hasPlaces?: true;
  /** Set if the rows of a Parquet file were written to the index, which it otherwise needs not. */
  isCopied?: true;
};

/** An index and its table; `searchPath`: the search index, if there is one. */
export type IndexedTable = { source: ViewSource; indexPath: string; searchPath: string | null; facts: ViewFacts };

/** Metadata of a search index. */
export type SearchFacts = { blocks: number };

/** A file that lists the numbers of all chosen rows. */
export type RowList = { path: string; total: number };

export type RowRange = { offset: number; limit: number; maxCellCharacters: number };

export type RowChoice = {
  where: readonly Condition[];
  /** Text that any column must contain; empty for no search. */
  search: string;
  sort: { name: string; isDescending: boolean } | null;
  /** Only rows that can't be read. */
  isUnreadable: boolean;
};

/** Reads rows from the beginning of the file, without an index. */
export type DirectRequest = { kind: 'direct'; source: ViewSource } & RowRange;

/** Reads the whole table once and writes its index to `indexPath`. */
export type BuildRequest = { kind: 'build'; source: ViewSource; indexPath: string };

/** `listed`: the list of the chosen rows, if it exists. Counting stops after `countMs`. */
export type RowsRequest = { kind: 'rows'; table: IndexedTable; listed: RowList | null; countMs: number } & RowRange &
  RowChoice;

/** Writes the list of the chosen rows, in the order of the file. */
export type ListRequest = { kind: 'list'; table: IndexedTable; listPath: string } & RowChoice;

/** Writes the search index of an indexed table. */
export type SearchIndexRequest = { kind: 'search-index'; table: IndexedTable; searchPath: string };

export type ColumnsRequest = { kind: 'columns'; table: IndexedTable };

/** Two versions of a table. Without key columns, rows with the same content are the same row. */
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
  /** Keys that several rows share; null without key columns. */
  repeatedBefore: RepeatedKeys | null;
  repeatedAfter: RepeatedKeys | null;
  columns: {
    added: ViewColumn[];
    removed: ViewColumn[];
    retyped: { name: string; before: string; after: string }[];
  };
};

/** Writes the unpacked bytes of a table to `path`: of Arrow data its rows as JSON Lines. */
export type UnpackRequest = {
  kind: 'unpack';
  packed: Pick<ViewSource, 'path' | 'offset' | 'sizeBytes'>;
  compression: 'bzip2' | 'arrow';
  limits: UnpackLimits;
  path: string;
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
  | SheetRequest
  | UnpackRequest;

export type ViewRow = {
  row: number;
  line: number | null;
  /** Null if the row can't be read. Whole numbers beyond 2^53 are strings of all their digits. */
  values: Record<string, unknown> | null;
  /** Columns whose value was truncated. */
  cut: string[];
  problem: Reason | null;
  /** The row's text, if it can't be read. */
  text: string | null;
};

export type ViewPage = {
  columns: ViewColumn[];
  rows: ViewRow[];
  /** Number of chosen rows; null while unknown. */
  total: number | null;
  unreadable: number | null;
  omittedColumns: number;
};

export type ColumnFigures = ViewColumn & {
  nulls: number;
  /** Number of distinct values. */
  distinct: number;
  min: string | null;
  max: string | null;
  /** Rows whose value is NaN; minimum, maximum and mean exclude them. */
  nan: number;
  mean: number | null;
  /** Equal-width bins between min and max of the numbers, or of the text lengths. */
  histogram: { from: number; to: number; count: number }[];
  lengths: { min: number; mean: number; max: number } | null;
  top: { value: string; count: number }[];
};

export type TableFigures = {
  columns: ColumnFigures[];
  /** Readable rows that repeat an earlier row. */
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
  | { unpacked: true }
  | { problem: Reason };

export type ViewLimits = { memoryBytes: number; directory: string };
