import type { Reason } from '../../kernel/sentences/index.ts';
import type { CheckedParts, CheckedRange } from '../checksums.ts';
import type { ValueKind } from '../row-schema.ts';
import type { ColumnShape, TextPattern } from './text-patterns.ts';

/** A Parquet file on this machine: the whole file at `path`. */
export type ParquetSource = { path: string };

/** A column with its SQL type. */
export type ColumnType = { name: string; type: string };

/** `kind`: what its type and whether it has values say about its values; missing in facts that were stored without it. */
export type ParquetColumn = ColumnType & { shape: ColumnShape; kind?: ValueKind };

/** The contents of the footer; with `decodesAll`, the whole file was decoded. */
export type ParquetFacts = {
  rows: number;
  columns: ParquetColumn[];
  /** Uncompressed bytes of values by path: the column name, plus `, list, element` and the like if nested. */
  columnBytes: Record<string, number>;
  /** Byte ranges of the values of each path, by row group, and the rows of each group. */
  columnChunks: Record<string, { rows: number; from: number; to: number }[]>;
};

export type InspectRequest = { kind: 'inspect'; source: ParquetSource; decodesAll: boolean };

/** Writes rows `[from, to)` as JSON Lines: `{"t":…}` for one column of strings, `{"t":{…}}` for several columns. */
export type ExtractRequest = {
  kind: 'extract';
  source: ParquetSource;
  columns: string | readonly string[];
  from: number;
  to: number;
  outputPath: string;
};

/**
 * Rewrites the file with new texts, given as JSON Lines `{"t":…}`, one per row of the source: null keeps the row, a
 * list yields one row per item. An item is the text of the column, or the texts of the patterns (`textsByPattern`).
 * With `written`, an item also has `c`, the values of these columns, and `s`, the names of the source columns among
 * them to replace; the others keep their values. Columns that the source lacks come last.
 */
export type RewriteRequest = {
  kind: 'rewrite';
  source: ParquetSource;
  textsPath: string;
  longestLineBytes: number;
  outputPath: string;
} & ({ column: string } | { patterns: readonly TextPattern[]; written?: readonly ColumnType[] });

/** Reads the whole file and returns the CRC-32 of each part; the first of the ascending `starts` is 0. */
export type ChecksumRequest = { kind: 'checksums'; source: ParquetSource; starts: readonly number[] };

/** Checks whether ranges of the file have the expected CRC-32. */
export type VerifyRequest = { kind: 'verify'; source: ParquetSource; ranges: readonly CheckedRange[] };

/** A column to write: its type, and how the lines represent its values; by default as JSON of that type. */
export type WrittenColumn = ColumnType & {
  /** `text`: as strings or lists of strings, cast exactly; `hex` and `base64`: bytes as strings. */
  form?: 'text' | 'hex' | 'base64' | undefined;
};

/**
 * Writes JSON Lines as a Parquet file with these columns. A column with a value that does not fit its type becomes text
 * if `keepsMisfits` is set; otherwise it is an error.
 */
export type WriteRequest = {
  kind: 'write';
  source: ParquetSource;
  columns: readonly WrittenColumn[];
  longestLineBytes: number;
  outputPath: string;
  keepsMisfits?: boolean;
  /** Columns whose non-null values are counted. */
  counted?: readonly string[];
  rowsPerGroup?: number;
};

/** A column that became text, and how many of its values do not fit its type. */
export type Misfits = { name: string; type: string; values: number };

export type Written = { rows: number; misfits: Misfits[]; counts: Record<string, number> };

export type ParquetRequest =
  | ChecksumRequest
  | VerifyRequest
  | InspectRequest
  | ExtractRequest
  | RewriteRequest
  | WriteRequest;

/** `problem`: what is wrong with the source, in plain words. */
export type ParquetAnswer =
  | { facts: ParquetFacts }
  | { rows: number; losses?: string[] }
  | Written
  | { parts: CheckedParts }
  | { isIntact: boolean }
  | { problem: Reason };

export type ParquetLimits = { memoryBytes: number; scratchDirectory: string };
