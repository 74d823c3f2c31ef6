import type { CheckedParts, CheckedRange } from '../checksums.ts';

/** A Parquet file on this machine: the whole file at `path`. */
export type ParquetSource = { path: string };

export type ParquetColumn = { name: string; type: string };

/** The contents of the footer; with `decodesAll`, the whole file was decoded. */
export type ParquetFacts = {
  rows: number;
  columns: ParquetColumn[];
  /** Uncompressed bytes of each column's values, by column name. */
  columnBytes: Record<string, number>;
  /** Where the values of each column are in the file, by row group, and how many rows each group has. */
  columnChunks: Record<string, { rows: number; from: number; to: number }[]>;
};

export type InspectRequest = { kind: 'inspect'; source: ParquetSource; decodesAll: boolean };

/** Writes rows `[from, to)` of one column of strings as JSON Lines `{"t":…}`. */
export type ExtractRequest = {
  kind: 'extract';
  source: ParquetSource;
  column: string;
  from: number;
  to: number;
  outputPath: string;
};

/**
 * Rewrites the file with new texts in one column: JSON Lines `{"t":…}`, one per row of the source: null keeps the row,
 * a list yields one row per text.
 */
export type RewriteRequest = {
  kind: 'rewrite';
  source: ParquetSource;
  column: string;
  textsPath: string;
  longestLineBytes: number;
  outputPath: string;
};

/** Reads the whole file and returns the CRC-32 of each part; the first of the ascending `starts` is 0. */
export type ChecksumRequest = { kind: 'checksums'; source: ParquetSource; starts: readonly number[] };

/** Checks whether ranges of the file have the expected CRC-32. */
export type VerifyRequest = { kind: 'verify'; source: ParquetSource; ranges: readonly CheckedRange[] };

export type ParquetRequest = ChecksumRequest | VerifyRequest | InspectRequest | ExtractRequest | RewriteRequest;

/** `problem`: what is wrong with the source, in plain words. */
export type ParquetAnswer =
  | { facts: ParquetFacts }
  | { rows: number; losses?: string[] }
  | { parts: CheckedParts }
  | { isIntact: boolean }
  | { problem: string };

export type ParquetLimits = { memoryBytes: number; scratchDirectory: string };

/** Exit code of a process that ends itself because it needs too much memory. */
export const memoryExitCode = 12;
