import type { OpenPiece } from '../samples/shard-work.ts';
import { openNotes } from '../samples/shard-work.ts';
import { readerOf } from '../workers/byte-reader.ts';
import type { LocalBytes } from '../shards/shard.ts';
import { buildIndex, maxKeys, type IndexedShard, type SharedIndex } from './reference-index.ts';

/** The shards of the datasets that a step compares with, in order: stored ones, or those of a preview. */
export type IndexJob = { shards: readonly (Omit<IndexedShard, 'read'> & { keys: LocalBytes | Uint8Array })[] };

/** Builds the index of a step over single samples. */
export function indexShards({ shards }: IndexJob, open: OpenPiece, beat: () => void): SharedIndex {
  const opened = shards.map(({ keys, ...shard }) => ({
    ...shard,
    read: 'path' in keys ? openNotes(keys, open) : readerOf(keys),
  }));
  return buildIndex(opened, { keyLimit: maxKeys, beat });
}
