import type { ReadAt } from '../../../tables/lines.ts';
import { damagedNotes, StoredBytesDamaged } from '../../orders/stored-bytes.ts';
import { crcOfWords } from './key-entries.ts';
import type { SignedWords } from './partition-match.ts';
import { openShardSignatures, type ShardSignatures } from './signatures.ts';

const blockBytes = 1 << 14;

/** Reads words from the shards' signatures. In the order of the input, neighbouring samples are read together. */
export function createSignedWords(signed: readonly ReadAt[], words: number): SignedWords {
  const opened: (ShardSignatures | undefined)[] = signed.map(() => undefined);
  const samples = Math.max(1, Math.floor(blockBytes / (4 * words)));
  const block = new Uint32Array(samples * words);
  let blockShard = -1;
  let blockFrom = 0;
  let blockTo = 0;

  function open(shard: number): ShardSignatures {
    const read = signed[shard];
    if (read === undefined) throw new RangeError(`There is no shard ${shard}`);
    const signatures = opened[shard] ?? openShardSignatures(read);
    opened[shard] = signatures;
    return signatures;
  }

  function check(target: Uint32Array, crc: number): void {
    if (crcOfWords(target) !== crc) throw new StoredBytesDamaged(damagedNotes);
  }

  return {
    next(shard, index, crc, target) {
      if (shard !== blockShard || index < blockFrom || index >= blockTo) {
        const signatures = open(shard);
        blockShard = shard;
        blockFrom = index;
        blockTo = Math.max(index, Math.min(index + samples, signatures.count));
        signatures.readWords(index, block.subarray(0, (blockTo - blockFrom) * words));
      }
      const start = (index - blockFrom) * words;
      target.set(block.subarray(start, start + words));
      check(target, crc);
    },
    any(shard, index, crc, target) {
      open(shard).readWords(index, target);
      check(target, crc);
    },
  };
}
