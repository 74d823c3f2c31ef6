import type { Reason } from '../../kernel/sentences/index.ts';
import type { QueryPlace } from './query-problem.ts';

/** A table that a statement names. */
export type TableReference = { schema: string; name: string; place: QueryPlace | undefined };

/** A Parquet file that a statement reads, with the names that the statement gives it. */
export type QueriedTable = {
  references: readonly Pick<TableReference, 'schema' | 'name'>[];
  path: string;
  columns: readonly { name: string; type: string; isMixed?: true }[];
  /** An index names its columns by position, and may have unreadable rows. */
  isIndex: boolean;
  /** Whether the index has a `problem` column, by which unreadable rows are skipped. */
  hasProblemColumn: boolean;
};

export type QueryFormat = 'CSV' | 'JSONL' | 'PARQUET';

/** Finds the tables of a statement, without reading any. */
export type ParseQuery = { kind: 'parse'; sql: string };

export type ReadQuery = {
  kind: 'read';
  sql: string;
  tables: readonly QueriedTable[];
  offset: number;
  limit: number;
  maxCellCharacters: number;
  /** A scratch folder for what does not fit into memory. */
  scratch: string;
};

export type WriteQuery = {
  kind: 'write';
  sql: string;
  tables: readonly QueriedTable[];
  format: QueryFormat;
  outputPath: string;
  scratch: string;
};

export type StatementRequest = ParseQuery | ReadQuery | WriteQuery;

export type QueryColumn = { name: string; type: string };

export type ResultRows = {
  columns: QueryColumn[];
  /** In column order. */
  rows: unknown[][];
  /** Positions of truncated values. */
  cut: [row: number, column: number][];
  /** Whether more rows follow. */
  hasMore: boolean;
};

export type WrittenQuery = { rows: number; columns: QueryColumn[] };

export type QueryAnswer =
  | { references: TableReference[] }
  | { result: ResultRows }
  | { written: WrittenQuery }
  | { problem: Reason; place: QueryPlace | undefined };

export type QueryLimits = { memoryBytes: number; diskBytes: number };
