import type { SetDrop, Signatures, WholeSet } from '../../../operators/index.ts';
import type { ReadAt } from '../../../tables/lines.ts';
import type { Reduction } from '../../orders/reduction-jobs.ts';
import { openShardSignatures, type ShardSignatures } from './signatures.ts';
import { createVerdictWriter, dropVerdict, type ShardVerdict } from './verdict-writer.ts';

/** The signatures of one shard for the reduction: `firstRow` is the number of its first row within its file, from 0. */
export type ReductionShard = { read: ReadAt; firstRow: number };

/**
 * Runs the reduction of an operator over the signatures of all shards, preceded by those of `references`, which are
 * compared with but never dropped. `write` receives the file of verdicts.
 */
export function reduceShards(
  whole: WholeSet,
  shards: readonly ReductionShard[],
  options: { references?: readonly ReductionShard[]; write: (bytes: Uint8Array) => void; beat: () => void },
): Reduction {
  const references = options.references ?? [];
  const all = [...references, ...shards];
  const opened = all.map(({ read }) => openShardSignatures(read));
  const { signatures, locate } = joinSignatures(opened, references.length, options.beat);
  const verdicts = createVerdictWriter(shards.length, options.write);
  let dropped = 0;
  let last = -1;
  const notes: Reduction['notes'] = [];
  const take = (sample: number, verdictAt: (index: number) => ShardVerdict): void => {
    if (sample <= last || sample >= signatures.count || sample < signatures.references) {
      throw new RangeError(`The operator judged sample ${sample} after sample ${last} of ${signatures.count}`);
    }
    last = sample;
    const at = locate(sample);
    verdicts.take(at.shard - references.length, verdictAt(at.index));
  };
  whole.reduce(
    signatures,
    (drop) => {
      dropped += 1;
      take(drop.index, (index) => dropVerdict(index, drop.score, drop.reason(keptPlaceOf(drop))));
    },
    (message, level) => {
      notes.push({ message, level: level ?? 'WARN' });
    },
    ({ index: sample, columns }) => {
      take(sample, (index) => [index, columns]);
    },
  );
  verdicts.finish();
  return { count: signatures.count - signatures.references, dropped, notes };

  function keptPlaceOf({ of }: SetDrop): string {
    const { shard, index } = locate(of);
    const signed = opened[shard];
    if (signed === undefined || index >= signed.count) throw new RangeError(`There is no sample ${of}`);
    return shownPlace(signed.placeOf(index), all[shard]?.firstRow ?? 0);
  }
}

/** The place of a sample in the reason of a drop; `firstRow` is that of its shard within its file, from 0. */
export function shownPlace({ path, row }: ReturnType<ShardSignatures['placeOf']>, firstRow: number): string {
  return `${path}${row === null ? '' : `, row ${row + firstRow + 1}`}`;
}

/** Concatenates the signatures of the shards into one list, references first. */
function joinSignatures(
  shards: readonly ShardSignatures[],
  references: number,
  beat: () => void,
): { signatures: Signatures; locate: (index: number) => { shard: number; index: number } } {
  const starts = [0];
  for (const { count } of shards) starts.push((starts.at(-1) ?? 0) + count);
  const count = starts.at(-1) ?? 0;

  function locate(index: number): { shard: number; index: number } {
    let low = 0;
    let high = shards.length;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= index) low = middle;
      else high = middle;
    }
    return { shard: low, index: index - (starts[low] ?? 0) };
  }

  const signatures: Signatures = {
    count,
    references: starts[references] ?? 0,
    column(key) {
      const column = new Uint32Array(count);
      for (const [number, shard] of shards.entries()) {
        shard.readColumn(key, column, starts[number] ?? 0);
        beat();
      }
      return column;
    },
    read(index, target) {
      beat();
      const at = locate(index);
      shards[at.shard]?.readWords(at.index, target);
    },
  };
  return { signatures, locate };
}
