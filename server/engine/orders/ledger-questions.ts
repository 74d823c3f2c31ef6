import type { Step } from './steps.ts';
import type { LedgerEntry, LedgerFilter, LedgerPlace, LedgerShard } from './ledger-entry.ts';
import type { Rethresholded, RethresholdPlan } from './rethresholding.ts';

/** A query over the ledgers of several shards, which are sent one by one. */
export type LedgerQuestion =
  /**
   * Matching entries: skips the first `skip` and returns at most `take`; raw texts are cut to `maxRawLength` UTF-16
   * units.
   */
  | {
      kind: 'entries';
      steps: readonly Step[];
      filter: LedgerFilter;
      skip: number;
      take: number;
      maxRawLength: number;
    }
  /** The line of one sample, identified by its file and row within the shard, or by its ordinal in the shard. */
  | { kind: 'line'; fileId: string; row: number | null; ordinal: number | null }
  /** Samples that failed. */
  | { kind: 'failed'; steps: readonly Step[] }
  | { kind: 'rethreshold'; plan: RethresholdPlan };

/** A failed sample: its place in the source, and its bytes (in the shard's blob from `aside` on, or the whole file). */
export type FailedSample = {
  entry: Pick<LedgerEntry, 'sampleId' | 'filePath' | 'row' | 'line' | 'operatorId' | 'reason'>;
  fileId: string;
  /**
   * Where the row begins: its first byte in the file, or the number of the row from 0 in a format whose rows are not
   * byte ranges; 'file' for a whole file. Undefined in runs of earlier versions, which did not record it.
   */
  place: number | 'file' | undefined;
  blobId: string | null;
  start: number;
  lengthBytes: number;
  aside: number | 'file' | null;
};

export type LedgerAnswers = {
  /** `total`: number of all matching entries; `unsearched`: further samples whose texts were not searched. */
  entries: { entries: LedgerEntry[]; total: number; unsearched: number };
  line: { shardNo: number; place: LedgerPlace } | null;
  failed: FailedSample[];
  rethreshold: Rethresholded;
};

export type LedgerAnswer = LedgerAnswers[keyof LedgerAnswers];

/** Requests to the thread: the question, the ledgers of the shards, then the request for the answer. */
export type LedgerRequest =
  | { id: number; kind: 'question'; question: LedgerQuestion }
  | {
      id: number;
      kind: 'shard';
      shard: LedgerShard;
      ledger: Uint8Array<ArrayBuffer>;
      /** Ordinals of the samples whose texts match the search; missing if they were not searched. */
      found?: ReadonlySet<number> | undefined;
    }
  | { id: number; kind: 'answer' }
  | { id: number; kind: 'forget' };
