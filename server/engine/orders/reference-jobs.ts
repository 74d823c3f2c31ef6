import type { ReadAt } from '../../tables/lines.ts';
import type { LocalBytes, ShardJob } from './shard.ts';
import type { DatasetReference } from '../../operators/dataset-references.ts';

/** The keys of one shard: `firstRow` and `firstLine` are the numbers of its first row and line within its file, from 0. */
export type IndexedShard = { read: ReadAt; dataset: string; firstRow: number; firstLine: number | null };

/** The shards of the datasets that a step compares with, in order: stored ones, or those of a preview. */
export type IndexJob = { shards: readonly (Omit<IndexedShard, 'read'> & { keys: LocalBytes | Uint8Array })[] };

/** A step that compares with other datasets, and these. */
export type ReferringStep = { step: number; references: readonly DatasetReference[] };

/** What was recorded of a shard, for a preview; `firstRow`: number of its first row within its file, from 0. */
export type ReferenceSignatures = { bytes: Uint8Array; firstRow: number };

/** Reads one shard of a dataset that a step compares with: the recipe has that step alone. */
export type ReferJob = ShardJob & {
  /** What stands before the paths of its files. */
  dataset: string;
  /** Samples that are read at most. */
  limit: number;
};

/**
 * `samples`: all, the `unread` ones included; `rows`: with those that are no samples. `skipped`: files that are not for
 * the operator. `isCut`: the limit was reached, and the rest not read.
 */
export type ReferResult = {
  samples: number;
  rows: number;
  unread: number;
  skipped: number;
  /** The place in its shard, and why: of the first unreadable ones. */
  examples: { path: string; row: number | null; problem: string }[];
  lines: number;
  isCut: boolean;
  signatures: Uint8Array<ArrayBuffer>;
};
