import type { Counts } from '../../kernel/counts.ts';
import type { FailureCounts } from '../../kernel/failure-counts.ts';
import { type Reason, reasonWith, type Sentence } from '../../kernel/sentences/index.ts';
import type { DocumentResult } from '../../documents/index.ts';
import type { BlobPath } from '../../storage/blobs/blob-store.ts';
import { contentPathOf, type Compression } from '../../tables/compression/compressed-names.ts';
import type { CheckedRange } from '../../tables/checksums.ts';
import type { Condition } from '../../tables/conditions.ts';
import type { Certainty, Encoding } from '../../encodings/encodings.ts';
import type { TextPattern } from '../../tables/parquet/index.ts';
import type { DelimitedColumns } from '../../tables/delimited-columns.ts';
import type { TableLayout } from '../../tables/table-layout.ts';
import type { RowSchema, RowsSummary } from '../../tables/row-schema.ts';
import type { SharedIndex } from './shared-index.ts';
import type { StepFigures, Verdict, Step } from './steps.ts';
import type { PartitionWork } from './partition-jobs.ts';
import type { Lease } from './result-memory.ts';

/**
 * What happens to a failed sample: it is set aside with the run, written unchanged where the file can hold it, or left
 * out.
 */
export type OnError = 'SET_ASIDE' | 'KEEP' | 'DROP';

/** A path pattern of files, and the columns or paths into their rows that hold text. */
export type TextFieldsRule = { readonly files: string; readonly fields: readonly string[] };

/**
 * A chosen output format, and the target size of its files in bytes of JSON Lines. With `folderBy`, there is one folder
 * per value of that column.
 */
export type OutputChoice = {
  readonly format: 'PARQUET' | 'JSONL' | 'JSONL_ZST';
  readonly shardBytes: number;
  readonly folderBy?: string;
};

/** The steps of a run, and what happens to samples on which a step fails. */
export type Recipe = {
  steps: readonly Step[];
  onError: OnError;
  textField: string | null;
  /**
   * The text fields of files by path pattern; takes precedence over `textField`, and the first match decides. Missing
   * in runs of earlier versions.
   */
  textFields?: readonly TextFieldsRule[];
  /** Set if no step reads or writes a text: a table is then read even if its text column is unknown. */
  mayLackText?: true;
  /** Conditions that a row must meet to be part of the input. */
  where?: readonly Condition[];
  /** Encoding of all files without a byte order mark; null: detected per file. Missing in runs of earlier versions. */
  encoding?: Encoding | null;
  /** Set if the result is not written in the formats of the source. */
  output?: OutputChoice;
};

/** Why a file can't be read, as a plan stores it: a process of an earlier release reads and writes the text alone. */
export type StoredProblem = { problem?: string; problemSentence?: Sentence | null };

export function storedProblem({ text, sentence }: Reason): Required<StoredProblem> {
  return { problem: text, problemSentence: sentence };
}

export function problemIn({ problem, problemSentence }: StoredProblem): Reason | undefined {
  return problem === undefined ? undefined : reasonWith(problem, problemSentence);
}

/** The compressed file whose content a piece is part of; its problem is why unpacking stopped before the end. */
export type Packed = {
  compression: Compression;
  blobId: string;
  sizeBytes: number;
  /** Set if only the beginning was read, for a preview. */
  isCut?: true;
} & StoredProblem;

/** A file, or a byte range of one, in the plan of a run; its problem is why it can't be read at all. */
export type Piece = {
  fileId: string;
  path: string;
  sizeBytes: number;
  /** Null if the file has no content. */
  blobId: string | null;
  /** Its dataset, in a run that reads several. */
  source?: string;
  /** Set if `blobId` and `sizeBytes` are those of its unpacked content. */
  packed?: Packed;
  /**
   * Rows that start in these bytes; the whole file if missing. A range with a CRC-32, computed when the whole file was
   * checked, begins and ends with a row.
   */
  range?: { from: number; to: number; crc32?: number };
  /** The table layout, if it was determined when the run was planned; its ranges then begin and end with a row. */
  layout?: TableLayout;
  /**
   * For a table whose rows are not byte ranges: the column that holds the text, and the rows `[from, to)` of the piece.
   */
  column?: ColumnPart;
  /** Set if only some rows of the piece were drawn. */
  drawn?: DrawnRows;
  /**
   * The only rows that are samples, ascending: the position of their first byte in the file, or their number from 0 in a
   * table with a `column`. All rows if missing.
   */
  only?: readonly number[];
} & StoredProblem;

/** The path whose extension names the format of the piece. */
export function formatPathOf({ path, packed }: Pick<Piece, 'path' | 'packed'>): string {
  return packed === undefined ? path : contentPathOf(path);
}

/** The file that the piece is part of, as it is stored in the source. */
export function sourceOf({ blobId, sizeBytes, packed }: Pick<Piece, 'blobId' | 'sizeBytes' | 'packed'>): {
  blobId: string | null;
  sizeBytes: number;
} {
  return packed ?? { blobId, sizeBytes };
}

/**
 * Numbers of some rows of a piece, from 0, ascending; and the numbers within the file of the piece's first row and
 * line, null if they are not known.
 */
export type DrawnRows = { rows: readonly number[]; firstRow: number | null; firstLine: number | null };

/**
 * The number that identifies a drawn sample within its piece. The missing end of a table has a number after all rows.
 */
export function drawnNumberOf({ row, isEndOfTable }: { row: number | null; isEndOfTable?: boolean }): number {
  return row ?? (isEndOfTable === true ? Number.MAX_SAFE_INTEGER : 0);
}

/** Which columns of a columnar table are read. */
export type ChosenColumns = {
  /** The text column, or the first path to a text. */
  name: string;
  /**
   * Set if texts are found by paths or in several columns, rows are filtered, steps read or write other columns, or
   * whole rows are written in a chosen format: the columns to read and where their texts are. `kinds`: their schema,
   * for a chosen format; `types`: the types of all columns, for steps that read or write them.
   */
  rows?: {
    columns: readonly string[];
    patterns: readonly TextPattern[];
    kinds?: RowSchema;
    types?: Readonly<Record<string, string>>;
  };
};

/** `checks`: checksums of the bytes that hold those rows of the columns, and of the metadata that locates them. */
export type ColumnPart = ChosenColumns & { from: number; to: number; checks?: readonly CheckedRange[] };

/**
 * A piece as passed to a worker: with the location of its bytes on this machine and, for a document, its converted
 * text.
 */
export type PlacedPiece = Piece & {
  place: { path: string; offset: number } | null;
  /** The checksum that its bytes must have before they are used. */
  check?: CheckedRange;
  document?: DocumentResult;
};

/** A sample that crashed a worker twice: it fails without another try. */
export type Poison = { ordinal: number; step: number | null; reason: Reason };

export type ShardLimits = { maxRowBytes: number; maxDocumentBytes: number };

export const shardLimits: ShardLimits = { maxRowBytes: 64 << 20, maxDocumentBytes: 64 << 20 };

/** A path of the blob store that must be released after the work. */
export type HeldPath = Pick<BlobPath, 'release'>;

/** Bytes of a blob on this machine. */
export type LocalBytes = { path: string; offset: number; sizeBytes: number; crc32: number };

/** Verdicts of an earlier set step; `slot` is the shard's position in the order of the reduction. */
export type PlacedVerdicts = { step: number; slot: number; signatures: LocalBytes; drops: LocalBytes };

/** The job of a worker for one shard. */
export type ShardJob = {
  recipe: Recipe;
  pieces: readonly PlacedPiece[];
  poison: readonly Poison[];
  /** A batch that crashed a worker: its samples are processed one by one to find the culprit. */
  suspects?: { from: number; to: number };
  /**
   * Samples from this one on are not tried. If whole processes are lost, retries that end earlier and earlier find the
   * culprit.
   */
  until?: number;
  limits: ShardLimits;
  /** One per set step that the samples pass. */
  verdicts: readonly PlacedVerdicts[];
  /** By step: the index of the datasets that it compares with. */
  indexes?: ReadonlyMap<number, SharedIndex>;
};

/** A pass that records the signatures of a set step. */
export type SignJob = ShardJob & { signStep: number };

/** `samples`: all rows and documents, including those that are skipped or passed over. */
export type SignResult = { samples: number; signatures: Uint8Array<ArrayBuffer> };

/** The input of a reduction: the signatures of all shards in order, and of the datasets that the step compares with. */
export type ReduceJob = {
  recipe: Recipe;
  step: number;
  references: readonly { signatures: LocalBytes; firstRow: number }[];
  shards: readonly { signatures: LocalBytes; firstRow: number }[];
  /** File to which the verdicts are written. */
  outputPath: string;
};

/** One job of a reduction in partitions. */
export type PartitionJob = {
  recipe: Recipe;
  step: number;
  work: PartitionWork<LocalBytes>;
  /** File to which its result is written. */
  outputPath: string;
};

/** One output file, or a part of one: bytes of the result, or an unchanged range of the source. */
export type PieceOutput = {
  path: string;
  from: 'result' | 'source';
  start: number;
  end: number;
  /** For a part of a JSON array with elements: length of the separator before the first one, in bytes. */
  lead?: number;
  /** For a part of a delimited table whose columns differ from the source's: its layout and columns. */
  table?: ShapedTable;
  /** For a part of a Parquet file: the columns that steps wrote into its rows, besides their texts. */
  written?: RowSchema;
};

/** The layout of a delimited table, and the columns of its rows; its header is still that of the source. */
export type ShapedTable = { layout: TableLayout; columns: DelimitedColumns };

/**
 * `rows`: all rows, including the `passed` ones, which are not samples. `emitted`: rows and documents in the outputs.
 * `lineEnds`: line ends in the rows' bytes, needed to number the lines after them.
 */
export type PieceResult = {
  rows: number;
  emitted: number;
  passed: number;
  lineEnds: number;
  outputs: PieceOutput[];
};

/** The part of a piece's result that its reader provides; the caller counts the rest. */
export type PieceRead = Omit<PieceResult, 'rows' | 'emitted'>;

/** Bytes of failed samples, concatenated: a range of the worker's result, or of a file if too long for that. */
export type AsideRange = { from: 'result'; start: number; end: number } | { from: number; start: number; end: number };

/** The failed samples of a shard: their bytes, and the pieces that failed as a whole. */
export type Aside = { bytes: Uint8Array; ranges: AsideRange[]; files: number[] };

/** How a file was read: its format, its encoding and how certain that is, and its text columns. */
export type InputFacts = {
  format: string;
  encoding?: Encoding;
  certainty?: Certainty | 'GIVEN';
  fields?: readonly string[];
  skipped?: string;
  skippedSentence?: Sentence | null;
};

/**
 * Number of samples by verdict, step and reason code: null without a reason, or if it has no code. Missing in runs of
 * earlier versions.
 */
export type VerdictCount = { verdict: Verdict; step: number | null; code?: string | null; count: number };

export type ShardResult = {
  pieces: PieceResult[];
  counts: Counts;
  verdicts: VerdictCount[];
  figures: StepFigures[];
  /** The bytes that outputs `from: 'result'` refer to. */
  bytes: Uint8Array;
  ledger: Uint8Array;
  ledgerLines: number;
  /** Files that the steps do not apply to. */
  skipped: number;
  /** By piece, where known. */
  inputs: (InputFacts | null)[];
  aside: Aside;
  /** Must be released when bytes and ledger are stored. */
  lease?: Lease;
  /** Damage on disk, as messages for the run's log. */
  damages: Reason[];
  /** Summary of the rows in `bytes`, for a chosen output format. */
  rowsOut?: RowsSummary;
  /** Why samples failed. */
  failures: FailureCounts;
};
