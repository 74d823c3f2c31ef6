import type { Reason } from '../../../kernel/sentences/index.ts';
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

/** Damage of the stored bytes: the pieces of media in which a step found it, and all messages so far. */
export type Damage = { readonly media: Set<number>; readonly messages: Reason[] };

/** Why a sample's result can't be written, and the step that wrote it, if known. */
export type Refusal = { reason: Reason; step: number | null };

/** A sample as the reader of its file offers it. */
export type OfferedSample = {
  piece: number;
  row: number | null;
  /** Whether it represents the missing end of a table, not a row. */
  isEndOfTable?: boolean;
  /**
   * Whether the table is truncated in this row: reading the row reports it, and there is no separate sample for the
   * missing end.
   */
  isCut?: boolean;
  /** Line of the row within its piece, from 0, in a format with lines. */
  line?: number;
  /** Returns why the sample is not part of the input; it is then counted as skipped and nothing else is called. */
  skip?: () => Reason | undefined;
  read: () => ChainInput | { problem: Reason; isUnread?: boolean };
  /** Whether `refuse`, `write` and `raw` work without a call of `read`: a sample judged ahead is not read again. */
  isReadOnce?: boolean;
  /** Returns why the new content can't be written; the sample then fails with this reason. */
  refuse?: (judgement: Judgement) => Reason | Refusal | undefined;
  write: (judgement: Judgement) => number;
  /** The sample's bytes in the source, in case it fails; undefined if there are none. */
  raw?: () => RawBytes | undefined;
  /** The receipt of a document, for the ledger. */
  receipt?: DocumentReceipt;
};

/** The context in which readers of rows and documents process samples. */
export type ShardContext = {
  readonly job: ShardJob;
  /** The parts that the steps read or write; readers need not provide others. */
  readonly parts: ReadonlySet<SamplePart>;
  /** Whether steps may write columns that the file lacks. */
  readonly writesColumns?: boolean;
  /** The step that writes other parts than the text, if only one does. */
  readonly onlyWriter?: number | null;
  readonly bytes: ByteCollector;
  /** Receives the rows of a result in a chosen output format, instead of `bytes` and outputs. */
  readonly rowOutput?: RowOutput | undefined;
  /** Records damage on disk in the log of the run. */
  damaged(damage: Reason): void;
  /** Set in a pass that writes, and in the pass before it that judges ahead. */
  readonly damage?: Damage;
  /** Records a file that the run's steps do not apply to; it is not a sample. */
  skipFile(piece: number, reason: Reason): void;
  /** Records how a file was read. */
  describe(piece: number, input: InputFacts): void;
  /**
   * Counts one sample and returns its judgement: that of the chain for `read()`, or failed if `read` returns a problem.
   * `write` receives the texts to write, or that the sample is unchanged, and returns the number of samples written.
   */
  sample(offered: OfferedSample): void;
};
