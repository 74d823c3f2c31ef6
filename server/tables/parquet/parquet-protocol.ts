import type { CheckedParts, CheckedRange } from '../checksums.ts';

/** A Parquet file on this machine: all of the file at `path`. */
export type ParquetSource = { path: string };

export type ParquetColumn = { name: string; type: string };

/** What the footer says, and that all of the file can be decoded. */
export type ParquetFacts = {
  rows: number;
  columns: ParquetColumn[];
  /** Bytes of each column's values before compression, by its name. */
  columnBytes: Record<string, number>;
  /** Where the values of each column stand in the file, one row group after the other; and how many rows each has. */
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
 * Writes the file anew with other texts in one column: JSON Lines `{"t":…}`, one for each row of the source: null keeps the row as
 * it is, a list has one row for each of its texts.
 */
export type RewriteRequest = {
  kind: 'rewrite';
  source: ParquetSource;
  column: string;
  textsPath: string;
  longestLineBytes: number;
  outputPath: string;
};

/** Reads all of the file and gives the CRC-32 of each of its parts; the first of the ascending `starts` is 0. */
export type ChecksumRequest = { kind: 'checksums'; source: ParquetSource; starts: readonly number[] };

/** Tells whether bytes of the file have their CRC-32. */
export type VerifyRequest = { kind: 'verify'; source: ParquetSource; ranges: readonly CheckedRange[] };

export type ParquetRequest = ChecksumRequest | VerifyRequest | InspectRequest | ExtractRequest | RewriteRequest;

/** `problem`: what is wrong with the source, in plain words. */
export type ParquetAnswer =
  | { facts: ParquetFacts }
  | { rows: number }
  | { parts: CheckedParts }
  | { isIntact: boolean }
  | { problem: string };

export type ParquetLimits = { memoryBytes: number; scratchDirectory: string };

/** The code with which the process ends itself when it needs too much memory. */
export const memoryExitCode = 12;
