import type { CheckedParts, CheckedRange } from '../checksums.ts';
import type { ColumnShape, TextPattern } from './text-patterns.ts';

/** A Parquet file on this machine: the whole file at `path`. */
export type ParquetSource = { path: string };

/** A column with its type in SQL. */
export type ColumnType = { name: string; type: string };

export type ParquetColumn = ColumnType & { shape: ColumnShape };

/** The contents of the footer; with `decodesAll`, the whole file was decoded. */
export type ParquetFacts = {
  rows: number;
  columns: ParquetColumn[];
  /** Uncompressed bytes of values by their path: the name of the column, with `, list, element` and the like if nested. */
  columnBytes: Record<string, number>;
  /** Where the values of each path are in the file, by row group, and how many rows each group has. */
  columnChunks: Record<string, { rows: number; from: number; to: number }[]>;
};

export type InspectRequest = { kind: 'inspect'; source: ParquetSource; decodesAll: boolean };

/** Writes rows `[from, to)` as JSON Lines: of one column of strings `{"t":…}`, of several columns `{"t":{…}}`. */
export type ExtractRequest = {
  kind: 'extract';
  source: ParquetSource;
  columns: string | readonly string[];
  from: number;
  to: number;
  outputPath: string;
};

/**
 * Rewrites the file with new texts: JSON Lines `{"t":…}`, one per row of the source: null keeps the row, a list yields
 * one row per item. An item is the text of the column, or the texts of the patterns (`textsByPattern`); with `written`, also
 * `c`, values of these columns, and `s`, the names of those among them that it replaces in the source: in items without
 * it they keep their values. Columns that the source lacks stand behind the others.
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

/** A column to write: its type, and how its values stand in the lines: by default as their type is in JSON. */
export type WrittenColumn = ColumnType & {
  /** `text`: as strings, or lists of strings, that are cast exactly; `hex` and `base64`: as strings that are bytes. */
  form?: 'text' | 'hex' | 'base64' | undefined;
};

/**
 * Writes rows that are JSON Lines as a Parquet file with these columns. A column with a value that does not fit its type becomes
 * text with `keepsMisfits`, and is an error without.
 */
export type WriteRequest = {
  kind: 'write';
  source: ParquetSource;
  columns: readonly WrittenColumn[];
  longestLineBytes: number;
  outputPath: string;
  keepsMisfits?: boolean;
  /** Columns whose values, without nulls, are counted. */
  counted?: readonly string[];
  rowsPerGroup?: number;
};

/** A column that became text, because of so many values that do not fit its type. */
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
  | { problem: string };

export type ParquetLimits = { memoryBytes: number; scratchDirectory: string };
