import type { FailureCounts } from '../../kernel/failure-counts.ts';
import type { StoredSketch } from './sketch.ts';
import type { ShardJob } from './shard.ts';

/** A pass over samples that measures them and changes nothing. */
export type ProfileJob = ShardJob & {
  /** Whether to look for duplicates among these samples; otherwise their signatures are returned. */
  compares: boolean;
};

/** Measurements of some samples; they add up over shards. */
export type ProfileFigures = {
  samples: number;
  failed: number;
  skipped: number;
  /** A row may have several texts. */
  texts: number;
  /** By step, one for each of its measures. */
  sketches: StoredSketch[][];
  /** By step, how often each label occurs. */
  labels: Record<string, number>[];
  /** Samples by the encoding of their file. */
  encodings: Record<string, number>;
};

/** By step: the signatures of a set step, or how many samples it would drop. */
export type ProfileResult = {
  figures: ProfileFigures;
  rows: number;
  /** Reason → count. */
  failures: FailureCounts;
  signatures: { step: number; bytes: Uint8Array<ArrayBuffer> }[];
  dropped: { step: number; count: number }[];
};
