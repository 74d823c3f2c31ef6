import type { Counts } from '../../runs/counts.ts';
import type { DocumentResult } from '../../documents/index.ts';
import type { BlobPath } from '../../storage/blobs/blob-store.ts';
import type { CheckedRange } from '../../tables/checksums.ts';
import type { Condition } from '../../tables/conditions.ts';
import type { Certainty, Encoding } from '../../tables/encodings.ts';
import type { TableLayout } from '../../tables/table-layout.ts';
import type { Step, StepFigures, Verdict } from '../samples/chain.ts';
import type { Lease } from '../workers/result-memory.ts';

/** What happens to a failed sample: it is kept apart with the run, written as it came where the file can hold that, or left out. */
export type OnError = 'SET_ASIDE' | 'KEEP' | 'DROP';

/** Files by a pattern of their paths, and the columns or paths into their rows that hold text. */
export type TextFieldsRule = { readonly files: string; readonly fields: readonly string[] };

/** The steps of a run, and what happens to samples on which a step fails. */
export type Recipe = {
  steps: readonly Step[];
  onError: OnError;
  textField: string | null;
  /** What holds the text in files whose paths match, before `textField`; the first match decides. Runs of earlier versions have none. */
  textFields?: readonly TextFieldsRule[];
  /** What must hold for a row to be part of the input. */
  where?: readonly Condition[];
  /** Of all files without a byte order mark; null: told from each. Missing in runs of earlier versions. */
  encoding?: Encoding | null;
};

/** A file, or a byte range of one, as the plan of a run has it. */
export type Piece = {
  fileId: string;
  path: string;
  sizeBytes: number;
  /** Null where the file has no content. */
  blobId: string | null;
  /** Why it can't be read at all. */
  problem?: string;
  /**
   * Rows that start in these bytes; the whole file when missing. With a CRC-32, taken when the whole file was checked, it begins and
   * ends with a row.
   */
  range?: { from: number; to: number; crc32?: number };
  /** How the table is written, where that was told when the run was planned; then its ranges begin and end with a row. */
  layout?: TableLayout;
  /** Of a table that no range of bytes is rows of: the column that holds the text, and the rows `[from, to)` of the piece. */
  column?: ColumnPart;
};

/** `checks`: the bytes of the file that hold those rows of the column, and what tells where they stand. */
export type ColumnPart = { name: string; from: number; to: number; checks?: readonly CheckedRange[] };

/** A piece as a worker gets it: with the place of its bytes on this machine, and what came of reading it where it is a document. */
export type PlacedPiece = Piece & {
  place: { path: string; offset: number } | null;
  /** What its bytes must be before anything is made of them. */
  check?: CheckedRange;
  document?: DocumentResult;
};

/** A sample that took a worker down twice: failed without another try. */
export type Poison = { ordinal: number; step: number | null; reason: string };

export type ShardLimits = { maxRowBytes: number; maxDocumentBytes: number };

export const shardLimits: ShardLimits = { maxRowBytes: 64 << 20, maxDocumentBytes: 64 << 20 };

/** A path of the blob store that must be released after the work. */
export type HeldPath = Pick<BlobPath, 'release'>;

/** Bytes of a blob on this machine. */
export type LocalBytes = { path: string; offset: number; sizeBytes: number; crc32: number };

/** Results of an earlier pass of a set step; `slot` is the shard's position in the order of the reduction. */
export type PlacedVerdicts = { step: number; slot: number; signatures: LocalBytes; drops: LocalBytes };

/** The job of a worker for one shard. */
export type ShardJob = {
  recipe: Recipe;
  pieces: readonly PlacedPiece[];
  poison: readonly Poison[];
  limits: ShardLimits;
  /** One for each set step that the samples pass. */
  verdicts: readonly PlacedVerdicts[];
};

/** A pass that records the signatures of a set step. */
export type SignJob = ShardJob & { signStep: number };

/** `samples`: those that are skipped are counted, too. */
export type SignResult = { samples: number; signatures: Uint8Array<ArrayBuffer> };

/** The input of a reduction: the signatures of all shards in order. */
export type ReduceJob = {
  recipe: Recipe;
  step: number;
  shards: readonly { signatures: LocalBytes; firstRow: number }[];
  /** File for the verdicts. */
  outputPath: string;
};

/** One file (or part of one) to be written: bytes of the result, or a range of the source that nothing was changed in. */
export type PieceOutput = { path: string; from: 'result' | 'source'; start: number; end: number };

/** `lineEnds`: of the rows' bytes, for the numbers of the lines behind them. */
export type PieceResult = { rows: number; lineEnds: number; outputs: PieceOutput[] };

/** Bytes of failed samples, one after the other: a range of what the worker hands over, or of a file that is too long for that. */
export type AsideRange = { from: 'result'; start: number; end: number } | { from: number; start: number; end: number };

/** The failed samples of a shard: their bytes, and the pieces that failed as a whole. */
export type Aside = { bytes: Uint8Array; ranges: AsideRange[]; files: number[] };

/** How a file was read: its format, its encoding and how sure that is, and the columns of its text. */
export type InputFacts = {
  format: string;
  encoding?: Encoding;
  certainty?: Certainty | 'GIVEN';
  fields?: readonly string[];
  skipped?: string;
};

/** How many samples had which verdict by which step. */
export type VerdictCount = { verdict: Verdict; step: number | null; count: number };

export type ShardResult = {
  pieces: PieceResult[];
  counts: Counts;
  verdicts: VerdictCount[];
  figures: StepFigures[];
  /** What the outputs `from: 'result'` point into. */
  bytes: Uint8Array;
  ledger: Uint8Array;
  ledgerLines: number;
  /** Files that are not meant for the steps. */
  skipped: number;
  /** By piece, as far as it is known. */
  inputs: (InputFacts | null)[];
  aside: Aside;
  /** To be given back when bytes and ledger are stored. */
  lease?: Lease;
  /** What is damaged on the disk, in words for the run's log. */
  damages: string[];
  /** Why samples failed: reason → count. */
  failures: Map<string, number>;
};
