import type { DocumentReceipt } from '../../documents/index.ts';
import type { ByteCollector } from '../workers/byte-collector.ts';
import type { SamplePart } from '../../operators/index.ts';
import type { ChainInput, Judgement } from './chain.ts';
import type { RawLine } from '../ledger/ledger.ts';
import type { ShardJob } from '../shards/shard.ts';

/** What the readers of rows and documents need to process samples. */
export type ShardContext = {
  readonly job: ShardJob;
  /** What the steps read and write: nothing else of a sample has to be there. */
  readonly parts: ReadonlySet<SamplePart>;
  readonly bytes: ByteCollector;
  /** Records damage on the disk for the log of the run. */
  damaged(message: string): void;
  /**
   * Counts one sample and gives its judgement: that of the chain over `read()`, or failed when reading says why not.
   * `write` is told the texts to write, or that the sample goes on as it came, and gives the number of samples written.
   */
  sample(options: {
    piece: number;
    row: number | null;
    read: () => ChainInput | { problem: string; raw?: RawLine };
    /** Why what is new can't be written, where that may be: the sample is failed with it. */
    refuse?: (judgement: Judgement) => string | undefined;
    write: (judgement: Judgement, unread: boolean) => number;
    /** What was read of a document, for the ledger. */
    receipt?: DocumentReceipt;
  }): void;
};
