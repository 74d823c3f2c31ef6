import { areEqual, maxGroup, type DuplicateSearch } from '../../../operators/index.ts';
import type { ReadAt } from '../../../tables/lines.ts';
import { readFully } from '../../../tables/lines.ts';
import { entryHead, entryLength } from './key-entries.ts';
import type { KeyCut } from '../../orders/partition-jobs.ts';
import { createKeyValues } from './key-values.ts';
import { createPairWriter, type SamplePair } from './pair-files.ts';
import { createRemembered, type RememberedSample } from './remembered.ts';
import { forEachRecord, openSection, type Section, type Sections } from '../../orders/sections.ts';

/** The entries of one partition in one file. */
export type PartitionPart = { read: ReadAt; section: Section };

/** Copies a sample's recorded words. Throws StoredBytesDamaged if they don't match the checksum. */
type ReadWords = (shard: number, index: number, crc: number, target: Uint32Array) => void;

/** Reads words from the shards' signatures: `next` in the order of the input, `any` in any order. */
export type SignedWords = { next: ReadWords; any: ReadWords };

const cachedSamples = 2048;

/**
 * Compares the samples of a partition that share a key value: each with the earlier ones, of which the first `maxGroup`
 * with distinct words are remembered. Writes all pairs that are similar enough, whether or not their samples will stay;
 * of a sample's pairs with references, which always stay, only the best. Reads the entries twice, in the order of the
 * input. Memory: 16 to 32 bytes per key value, about 28 per remembered sample.
 */
export function matchPartition(
  search: DuplicateSearch,
  parts: readonly PartitionPart[],
  options: {
    cut: KeyCut;
    /** Number of reference shards, which come first. */
    references: number;
    wordsOf: SignedWords | undefined;
    write: (bytes: Uint8Array) => void;
    beat: () => void;
  },
): { sections: Sections; crowded: number } {
  const { cut, references, wordsOf, beat } = options;
  const length = entryLength(cut, search.words);
  const opened = parts.map(({ read, section }) => ({ section, read: openSection(read, section) }));
  const entryCount = parts.reduce((sum, { section }) => sum + (section.to - section.from) / (4 * length), 0);
  const values = createKeyValues(entryCount);
  for (const { read, section } of opened) {
    forEachRecord(read, section, length, (entries, start) => {
      values.count(entries[start + 2] ?? 0);
    });
    beat();
  }

  const remembered = createRemembered(values.groups);
  const pairs = createPairWriter(options.write);
  const own = new Uint32Array(search.words);
  // Cache of the remembered samples' words read last, by number: many samples are compared with the same ones.
  const cached = new Int32Array(cachedSamples).fill(-1);
  const cachedWords = Array.from(cached, () => new Uint32Array(search.words));
  let crowded = 0;

  function wordsAt({ shard, index, crc, part, position }: RememberedSample, number: number): Uint32Array {
    const slot = number % cachedSamples;
    const words = cachedWords[slot] ?? new Uint32Array(search.words);
    if (cached[slot] === number) return words;
    cached[slot] = number;
    const read = opened[part]?.read;
    if (wordsOf !== undefined) wordsOf.any(shard, index, crc, words);
    else if (read !== undefined) readFully(read, bytesOf(words), position + 4 * entryHead);
    return words;
  }

  for (const [part, { read, section }] of opened.entries()) {
    forEachRecord(read, section, length, (entries, start, position) => {
      const group = values.groupOf(entries[start + 2] ?? 0);
      if (group === 0) return;
      const shard = entries[start] ?? 0;
      const index = entries[start + 1] ?? 0;
      const crc = entries[start + 3] ?? 0;
      beat();
      const isReference = shard < references;
      let isRead = false;
      let isKnown = false;
      // The best pair with a reference; if there is one, the sample is sure to be dropped.
      let best: Omit<SamplePair, 'shard' | 'index'> | undefined;
      let isBestTaken = false;
      for (let at = remembered.first(group); at !== -1; at = remembered.next(at)) {
        const candidate = remembered.get(at);
        if (best !== undefined && !isBestTaken && candidate.shard >= references) {
          pairs.take({ shard, index, ...best });
          isBestTaken = true;
        }
        const mayBeSame = candidate.crc === crc;
        const isCompared = !isReference && !candidate.isDropped;
        if (!mayBeSame && !isCompared) continue;
        if (!isRead) {
          if (wordsOf === undefined) own.set(entries.subarray(start + entryHead, start + length));
          else wordsOf.next(shard, index, crc, own);
        }
        isRead = true;
        const other = wordsAt(candidate, at);
        if (mayBeSame && areEqual(own, other)) isKnown = true;
        if (!isCompared) continue;
        const score = search.similarity(own, other);
        if (score < search.threshold || (best !== undefined && score <= best.score)) continue;
        const pair = { ofShard: candidate.shard, ofIndex: candidate.index, score };
        if (candidate.shard < references) best = pair;
        else pairs.take({ shard, index, ...pair });
      }
      if (best !== undefined && !isBestTaken) pairs.take({ shard, index, ...best });
      if (isKnown) return;
      if (remembered.sizeOf(group) === maxGroup) crowded += 1;
      else remembered.add(group, { shard, index, crc, part, position, isDropped: best !== undefined });
    });
  }
  return { sections: pairs.finish(), crowded };
}

const views = new WeakMap<Uint32Array, Uint8Array>();

/** The bytes of a reused array of words. */
function bytesOf(words: Uint32Array): Uint8Array {
  const known = views.get(words) ?? new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  views.set(words, known);
  return known;
}
