import { openNotes, type OpenPiece } from '../notes.ts';
import { readerOf } from '../byte-reader.ts';
import { buildIndex, maxKeys } from '../samples/reference-index.ts';
import type { SharedIndex } from '../../orders/shared-index.ts';
import type { IndexJob } from '../../orders/reference-jobs.ts';

/** Builds the index of a step over single samples. */
export function indexShards({ shards }: IndexJob, open: OpenPiece, beat: () => void): SharedIndex {
  const opened = shards.map(({ keys, ...shard }) => ({
    ...shard,
    read: 'path' in keys ? openNotes(keys, open) : readerOf(keys),
  }));
  return buildIndex(opened, { keyLimit: maxKeys, beat });
}
