import type { DuplicateSearch } from '../../../operators/index.ts';
import { joinPairs, type PairFile } from './pair-files.ts';
import { shownPlace, type ReductionShard } from './reduction.ts';
import { openShardSignatures } from './signatures.ts';
import { createVerdictWriter, dropVerdict } from './verdict-writer.ts';

/**
 * Decides the verdicts in one pass over all similar pairs, in the order of their samples: a sample is dropped if a
 * similar earlier one stays; its reason names the most similar one, the first among equals. `shards` are those of
 * references, then those of the run; `counts`: number of samples per shard. Memory: one bit per sample.
 */
export function settlePairs(
  search: DuplicateSearch,
  files: readonly PairFile[],
  options: {
    shards: readonly ReductionShard[];
    references: number;
    counts: readonly number[];
    write: (bytes: Uint8Array) => void;
    beat: () => void;
  },
): { dropped: number } {
  const { shards, references, counts } = options;
  const isDropped = counts.map((count) => new Uint8Array(Math.ceil(count / 8)));
  const opened = shards.map(() => undefined as ReturnType<typeof openShardSignatures> | undefined);
  const verdicts = createVerdictWriter(shards.length - references, options.write);
  let dropped = 0;
  let current = { shard: -1, index: -1 };
  let best: { ofShard: number; ofIndex: number; score: number } | undefined;

  function placeOf(shard: number, index: number): ReturnType<ReturnType<typeof openShardSignatures>['placeOf']> {
    const known = opened[shard];
    const read = shards[shard]?.read;
    if (known !== undefined) return known.placeOf(index);
    if (read === undefined) throw new RangeError(`There is no shard ${shard}`);
    const signed = openShardSignatures(read);
    opened[shard] = signed;
    return signed.placeOf(index);
  }

  function decide(): void {
    if (best === undefined) return;
    const { shard, index } = current;
    const bits = isDropped[shard];
    if (bits === undefined) throw new RangeError(`There is no shard ${shard}`);
    bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
    dropped += 1;
    const { ofShard, ofIndex, score } = best;
    const place = placeOf(ofShard, ofIndex);
    const reason = search.reason(score, shownPlace(place, shards[ofShard]?.firstRow ?? 0));
    verdicts.take(shard - references, dropVerdict(index, score, reason));
  }

  for (const { shard, index, ofShard, ofIndex, score } of joinPairs(files)) {
    options.beat();
    if (shard !== current.shard || index !== current.index) {
      decide();
      current = { shard, index };
      best = undefined;
    }
    const isGone = ((isDropped[ofShard]?.[ofIndex >> 3] ?? 0) & (1 << (ofIndex & 7))) !== 0;
    // Each sample's pairs come in the order of `of`, so the earliest of equals wins.
    if (!isGone && (best === undefined || score > best.score)) best = { ofShard, ofIndex, score };
  }
  decide();
  verdicts.finish();
  return { dropped };
}
