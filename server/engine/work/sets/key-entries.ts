import { crc32 } from '../../../kernel/crc32.ts';
import type { ReadAt } from '../../../tables/lines.ts';
import type { KeyCut } from '../../orders/partition-jobs.ts';
import { createSectionWriter, type Sections } from '../../orders/sections.ts';
import { openShardSignatures, type ShardSignatures } from './signatures.ts';

const readSamples = 256;

/** An entry: shard, index within it, value of the key, CRC-32 of the words; then the words, if entries have them. */
export const entryHead = 4;

export function entryLength({ hasWords }: KeyCut, words: number): number {
  return entryHead + (hasWords ? words : 0);
}

export function sliceOf(value: number, slices: number): number {
  return Math.floor(((Math.imul(value ^ (value >>> 15), 0x2c1b_3c6d) >>> 0) / 2 ** 32) * slices);
}

/**
 * Sorts the records of some shards by partition: all slices of the first key, then those of the second, and so on.
 * Within a partition, entries are in the order of the input. Holds in memory the words of the shards, or a checksum per
 * sample, and the entries of one key.
 */
export function collateShards(
  { keys, words }: { keys: number; words: number },
  shards: readonly { read: ReadAt; shard: number }[],
  options: { cut: KeyCut; write: (bytes: Uint8Array) => void; beat: () => void },
): { sections: Sections; counts: number[] } {
  const { cut, write, beat } = options;
  const opened = shards.map(({ read, shard }) => ({ shard, signed: openShardSignatures(read) }));
  const checked = opened.map(({ shard, signed }) => ({
    shard,
    signed,
    ...readWordsOf(signed, words, cut.hasWords, beat),
  }));
  const length = entryLength(cut, words);
  const writer = createSectionWriter(write);
  for (let key = 0; key < keys; key += 1) {
    const sizes = new Uint32Array(cut.slices);
    const columns = checked.map(({ signed }) => {
      const column = new Uint32Array(signed.count);
      signed.readColumn(key, column, 0);
      for (let index = 0; index < column.length; index += 1) {
        const slice = sliceOf(column[index] ?? 0, cut.slices);
        sizes[slice] = (sizes[slice] ?? 0) + 1;
      }
      beat();
      return column;
    });
    const entries = Array.from(sizes, (size) => new Uint32Array(size * length));
    const ends = new Uint32Array(cut.slices);
    for (const [number, { shard, crcs, held }] of checked.entries()) {
      const column = columns[number] ?? crcs;
      for (let index = 0; index < column.length; index += 1) {
        const value = column[index] ?? 0;
        const slice = sliceOf(value, cut.slices);
        const target = entries[slice];
        const at = ends[slice] ?? 0;
        ends[slice] = at + length;
        if (target === undefined) continue;
        target[at] = shard;
        target[at + 1] = index;
        target[at + 2] = value;
        target[at + 3] = crcs[index] ?? 0;
        if (held !== undefined) target.set(held.subarray(index * words, (index + 1) * words), at + entryHead);
      }
      beat();
    }
    for (const ofSlice of entries) {
      writer.append(new Uint8Array(ofSlice.buffer));
      writer.end();
    }
  }
  return { sections: writer.sections, counts: opened.map(({ signed }) => signed.count) };
}

function readWordsOf(
  signed: ShardSignatures,
  words: number,
  isHeld: boolean,
  beat: () => void,
): { crcs: Uint32Array; held: Uint32Array | undefined } {
  const crcs = new Uint32Array(signed.count);
  const held = isHeld ? new Uint32Array(signed.count * words) : undefined;
  const block = new Uint32Array(readSamples * words);
  for (let from = 0; from < signed.count; from += readSamples) {
    const count = Math.min(readSamples, signed.count - from);
    const read = block.subarray(0, count * words);
    signed.readWords(from, read);
    held?.set(read, from * words);
    for (let at = 0; at < count; at += 1) crcs[from + at] = crcOfWords(read.subarray(at * words, (at + 1) * words));
    beat();
  }
  return { crcs, held };
}

export function crcOfWords(words: Uint32Array): number {
  return crc32(new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
}
