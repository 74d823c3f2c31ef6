import type { Reason } from '../../kernel/sentences/index.ts';
import type { ReadAt } from '../../tables/lines.ts';
import type { LocalBytes, ShardJob } from './shard.ts';
import type { DatasetReference } from '../../operators/dataset-references.ts';

/** The keys of one shard: `firstRow` and `firstLine` are the numbers of its first row and line within its file, from 0. */
export type IndexedShard = { read: ReadAt; dataset: string; firstRow: number; firstLine: number | null };

/** The shards of the datasets that a step compares with, in order: stored ones, or those of a preview. */
export type IndexJob = { shards: readonly (Omit<IndexedShard, 'read'> & { keys: LocalBytes | Uint8Array })[] };

/** A step that compares with other datasets, and those datasets. */
export type ReferringStep = { step: number; references: readonly DatasetReference[] };

/** The signatures of a shard, for a preview; `firstRow`: number of its first row within its file, from 0. */
export type ReferenceSignatures = { bytes: Uint8Array; firstRow: number };

/** Reads one shard of a dataset that a step compares with; the recipe has only that step. */
export type ReferJob = ShardJob & {
  /** Prefix of its files' paths in reasons. */
  dataset: string;
  /** Maximum number of samples to read. */
  limit: number;
};

/**
 * `samples`: all, including `unread` ones; `rows`: also counts rows that are not samples; `skipped`: files that the
 * operator does not apply to; `isCut`: reading stopped at the limit.
 */
export type ReferResult = {
  samples: number;
  rows: number;
  unread: number;
  skipped: number;
  /** The first unreadable samples: place in the shard, and why. */
  examples: { path: string; row: number | null; problem: Reason }[];
  lines: number;
  isCut: boolean;
  signatures: Uint8Array<ArrayBuffer>;
};
