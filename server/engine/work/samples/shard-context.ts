import type { DocumentReceipt } from '../../../documents/index.ts';
import type { ByteCollector } from '../byte-collector.ts';
import type { SamplePart } from '../../../operators/index.ts';
import type { ChainInput, Judgement } from './chain.ts';
import type { RowOutput } from './row-output.ts';
import type { InputFacts, ShardJob } from '../../orders/shard.ts';

/** The bytes of a failed sample: in memory, in a range of the source that is too long for memory, or the whole file. */
export type RawBytes = { start: number; lengthBytes: number } & (
  | { held: Uint8Array; shown: string }
  | { held: 'range'; shown: string }
  | { held: 'file' }
);

/** Damage of the stored bytes: pieces of media where it showed when a step read them, and all messages so far. */
export type Damage = { readonly media: Set<number>; readonly messages: string[] };

/** Why what the steps made of a sample can't be written, and the step that wrote it, if known. */
export type Refusal = { reason: string; step: number | null };

/** A sample as the reader of its file offers it. */
export type OfferedSample = {
  piece: number;
  row: number | null;
  /** Whether it stands for what is missing at the end of a table, and so for no row. */
  isEndOfTable?: boolean;
  /** Whether the table is cut off in this row: reading it tells so, and nothing else stands for the table's end. */
  isCut?: boolean;
  /** Line of the row within its piece, from 0, in a format with lines. */
  line?: number;
  /** Why the sample is not part of the input, if so: it is then counted as skipped and nothing else is called. */
  skip?: () => string | undefined;
  read: () => ChainInput | { problem: string; isUnread?: boolean };
  /** Whether `refuse`, `write` and `raw` need nothing that `read` prepares: a sample judged ahead is not read again. */
  isReadOnce?: boolean;
  /** Why the new content can't be written, if so: the sample fails with this reason. */
  refuse?: (judgement: Judgement) => string | Refusal | undefined;
  write: (judgement: Judgement) => number;
  /** The sample's bytes in the source, in case it fails; undefined if there are none. */
  raw?: () => RawBytes | undefined;
  /** The receipt of a document, for the ledger. */
  receipt?: DocumentReceipt;
};

/** What the readers of rows and documents need to process samples. */
export type ShardContext = {
  readonly job: ShardJob;
  /** The parts that the steps read or write; no other part of a sample has to be provided. */
  readonly parts: ReadonlySet<SamplePart>;
  /** Whether the rows may get other columns than their file has. */
  readonly writesColumns?: boolean;
  /** The step that writes other parts than the text, if only one does. */
  readonly onlyWriter?: number | null;
  readonly bytes: ByteCollector;
  /** Takes the rows of a result in a format of choice, instead of `bytes` and outputs. */
  readonly rowOutput?: RowOutput | undefined;
  /** Records damage on disk in the log of the run. */
  damaged(message: string): void;
  /** Of a pass that writes, and of the one before it that judges ahead. */
  readonly damage?: Damage;
  /** Records a file that the run's steps do not apply to; it is not a sample. */
  skipFile(piece: number, reason: string): void;
  /** Records how a file was read. */
  describe(piece: number, input: InputFacts): void;
  /**
   * Counts one sample and returns its judgement: that of the chain for `read()`, or failed if `read` returns a problem.
   * `write` receives the texts to write, or that the sample is unchanged, and returns the number of samples written.
   */
  sample(offered: OfferedSample): void;
};
