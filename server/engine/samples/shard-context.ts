import type { DocumentReceipt } from '../../documents/index.ts';
import type { ByteCollector } from '../workers/byte-collector.ts';
import type { SamplePart } from '../../operators/index.ts';
import type { ChainInput, Judgement } from './chain.ts';
import type { InputFacts, ShardJob } from '../shards/shard.ts';

/** A failed sample's own bytes: here, in a range of the source that is too long for that, or the whole file. */
export type RawBytes = { start: number; lengthBytes: number } & (
  | { held: Uint8Array; shown: string }
  | { held: 'range'; shown: string }
  | { held: 'file' }
);

/** What the readers of rows and documents need to process samples. */
export type ShardContext = {
  readonly job: ShardJob;
  /** What the steps read and write: nothing else of a sample has to be there. */
  readonly parts: ReadonlySet<SamplePart>;
  readonly bytes: ByteCollector;
  /** Records damage on the disk for the log of the run. */
  damaged(message: string): void;
  /** Records a file that is not meant for the run's steps; it is no sample. */
  skipFile(piece: number, reason: string): void;
  /** Records how a file was read. */
  describe(piece: number, input: InputFacts): void;
  /**
   * Counts one sample and gives its judgement: that of the chain over `read()`, or failed when reading says why not.
   * `write` is told the texts to write, or that the sample goes on as it came, and gives the number of samples written.
   */
  sample(options: {
    piece: number;
    row: number | null;
    /** Line of the row within its piece, from 0, of a format with lines. */
    line?: number;
    /** Why it is no part of the input, where that may be: then it is counted as skipped, and nothing else is called. */
    skip?: () => string | undefined;
    read: () => ChainInput | { problem: string; isUnread?: boolean };
    /** Why what is new can't be written, where that may be: the sample is failed with it. */
    refuse?: (judgement: Judgement) => string | undefined;
    write: (judgement: Judgement) => number;
    /** The sample as it stands in the source, for when it fails; missing where there are no such bytes. */
    raw?: () => RawBytes | undefined;
    /** What was read of a document, for the ledger. */
    receipt?: DocumentReceipt;
  }): void;
};
