// For any shards, partitions and files, a partitioned comparison gives the same verdicts as a plain one over all
// samples.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foreign } from '../../../kernel/sentences/index.ts';
import { duplicatesBy } from '../../../operators/deduplicators/duplicates.ts';
import type { WholeSet } from '../../../operators/index.ts';
import type { ReadAt } from '../../../tables/lines.ts';
import { StoredBytesDamaged } from '../../orders/stored-bytes.ts';
import { collateShards } from './key-entries.ts';
import type { KeyCut } from '../../orders/partition-jobs.ts';
import { createPairWriter, joinPairs } from './pair-files.ts';
import { matchPartition } from './partition-match.ts';
import { reduceShards } from './reduction.ts';
import { mergeSections, sectionOf, type Sections } from '../../orders/sections.ts';
import { settlePairs } from './settlement.ts';
import { createSignatureCollector } from './signatures.ts';
import { createSignedWords } from './signed-words.ts';
import { readShardDrops, type ShardVerdict } from './verdict-writer.ts';

/** Samples are pairs of small numbers: similar when both are near, and compared when a quotient agrees. */
const widths = [8, 5, 1000];
const search = {
  keys: widths.length,
  words: 2,
  similarity: (one: Uint32Array, other: Uint32Array) =>
    1 - (Math.abs((one[0] ?? 0) - (other[0] ?? 0)) + Math.abs((one[1] ?? 0) - (other[1] ?? 0))) / 1000,
  threshold: 0.998,
  reason: (similarity: number, sample: string) => foreign(`${similarity} like ${sample}`),
};

const whole: WholeSet = {
  ...duplicatesBy(search),
  sign({ text = '' }, keys, words) {
    const [x = 0, y = 0] = text.split(' ').map(Number);
    words.set([x, y]);
    keys.set(widths.map((width) => Math.floor(x / width)));
  },
};

type Point = readonly [number, number];

/** The rule, literally: for each dropped sample, the score and the place of the sample that it duplicates. */
function judge(points: readonly Point[], references: number): Map<number, [score: number, of: number]> {
  const drops = new Map<number, [number, number]>();
  const remembered = widths.map(() => new Map<number, number[]>());
  for (const [index, [x, y]] of points.entries()) {
    const words = new Uint32Array([x, y]);
    let best: [number, number] | undefined;
    const lists = widths.map((width, key) => {
      const value = Math.floor(x / width);
      const list = remembered[key]?.get(value) ?? [];
      remembered[key]?.set(value, list);
      return list;
    });
    for (const of of new Set(lists.flat())) {
      if (drops.has(of) || index < references) continue;
      const score = search.similarity(words, new Uint32Array(points[of] ?? []));
      if (score < search.threshold) continue;
      if (best === undefined || score > best[0] || (score === best[0] && of < best[1])) best = [score, of];
    }
    if (best !== undefined) drops.set(index, best);
    for (const list of lists) {
      if (list.length < 200 && !list.some((of) => points[of]?.[0] === x && points[of]?.[1] === y)) list.push(index);
    }
  }
  return drops;
}

type File = { read: ReadAt; sections: Sections };

function readerOf(bytes: Uint8Array): ReadAt {
  return (target, position) => {
    const part = bytes.subarray(position, position + target.length);
    target.set(part);
    return part.length;
  };
}

function fileOf(work: (write: (bytes: Uint8Array) => void) => Sections): File & { bytes: Buffer } {
  const written: Buffer[] = [];
  const sections = work((bytes) => void written.push(Buffer.from(bytes)));
  const bytes = Buffer.concat(written);
  return { bytes, read: readerOf(bytes), sections };
}

const beat = (): void => {};

const groupsOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, group) => all.slice(group * size, (group + 1) * size));

type Cutting = { sizes: readonly number[]; references: number; cut: KeyCut; fanIn: number };

function signAll(points: readonly Point[], sizes: readonly number[]): { read: ReadAt; firstRow: number }[] {
  const shards = [];
  for (let from = 0, at = 0; from < points.length; at += 1) {
    const size = sizes[at % sizes.length] ?? 1;
    const collector = createSignatureCollector(whole);
    for (const [row, [x, y]] of points.slice(from, from + size).entries()) {
      collector.take({ ordinal: row, piece: 0, row, path: '' }, { text: `${x} ${y}` });
    }
    shards.push({ read: readerOf(collector.bytes(['p'])), firstRow: from });
    from += size;
  }
  return shards;
}

type Signed = ReturnType<typeof signAll>;

function compareInPartitions(
  shards: Signed,
  { references, cut, fanIn }: Cutting,
): { drops: ShardVerdict[][]; crowded: number } {
  const counts: number[] = [];
  const numbered = shards.map(({ read }, shard) => ({ read, shard }));
  let files: File[] = groupsOf(numbered, fanIn).map((group) =>
    fileOf((write) => {
      const collated = collateShards(whole, group, { cut, write, beat });
      counts.push(...collated.counts);
      return collated.sections;
    }),
  );
  while (files.length > fanIn) {
    files = groupsOf(files, fanIn).map((group) => fileOf((write) => mergeSections(group, write, beat)));
  }
  let crowded = 0;
  const matched = Array.from({ length: widths.length * cut.slices }, (_, partition) =>
    fileOf((write) => {
      const parts = files.map(({ read, sections }) => ({ read, section: sectionOf(sections, partition) }));
      const wordsOf = cut.hasWords
        ? undefined
        : createSignedWords(
            shards.map(({ read }) => read),
            search.words,
          );
      const result = matchPartition(search, parts, { cut, references, wordsOf, write, beat });
      crowded += result.crowded;
      return result.sections;
    }),
  );
  const joined = groupsOf(matched, fanIn).map((group) =>
    fileOf((write) => {
      const writer = createPairWriter(write);
      for (const pair of joinPairs(group)) writer.take(pair);
      return writer.finish();
    }),
  );
  const verdicts = fileOf((write) => {
    settlePairs(search, joined, { shards, references, counts, write, beat });
    return { ends: [], crcs: [] };
  });
  return { crowded, drops: readDrops(verdicts.bytes, shards.length - references) };
}

function readDrops(bytes: Buffer, shards: number): ShardVerdict[][] {
  return Array.from({ length: shards }, (_, slot) => [...readShardDrops(readerOf(bytes), bytes.length, slot).values()]);
}

const point = fc.tuple(fc.nat({ max: 1200 }), fc.nat({ max: 3 }));
/** More samples with distinct words share a key than are remembered, and many samples are equal. */
const crowd = fc
  .array(fc.tuple(fc.nat({ max: 900 }), fc.nat({ max: 3 })), { minLength: 300, maxLength: 500 })
  .map((points): Point[] => points.map(([x, y]) => [x + 50, y]));

const cutting = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 4 }),
  referred: fc.nat({ max: 3 }),
  slices: fc.integer({ min: 1, max: 4 }),
  hasWords: fc.boolean(),
  fanIn: fc.integer({ min: 2, max: 5 }),
});

test('partitions give the verdicts of the rule, and so does one reduction', () => {
  let crowds = 0;
  fc.assert(
    fc.property(fc.oneof(fc.array(point, { minLength: 1, maxLength: 60 }), crowd), cutting, (points, given) => {
      const shards = signAll(points, given.sizes);
      const references = Math.min(given.referred, shards.length - 1);
      const before = shards[references]?.firstRow ?? 0;
      const expected = new Map<number, string>();
      for (const [index, [score, of]] of judge(points, before)) {
        expected.set(index, JSON.stringify([score, `${score} like p, row ${of + 1}`, null]));
      }
      const { drops, crowded } = compareInPartitions(shards, {
        sizes: given.sizes,
        references,
        cut: { slices: given.slices, hasWords: given.hasWords },
        fanIn: given.fanIn,
      });
      const own = shards.slice(references);
      const found = new Map<number, string>();
      for (const [slot, ofShard] of drops.entries()) {
        for (const [index, ...rest] of ofShard) found.set((own[slot]?.firstRow ?? 0) + index, JSON.stringify(rest));
      }
      assert.deepEqual(found, expected);

      const written: Buffer[] = [];
      const { notes } = reduceShards(whole, own, {
        references: shards.slice(0, references),
        write: (bytes) => void written.push(Buffer.from(bytes)),
        beat,
      });
      assert.deepEqual(readDrops(Buffer.concat(written), own.length), drops);
      assert.equal(notes[0]?.message.text.startsWith(`${crowded} time`) ?? false, crowded > 0);
      if (crowded > 0) crowds += 1;
    }),
    { numRuns: 30 },
  );
  assert.ok(crowds > 2, `${crowds} sets had crowded keys`);
});

test('no entry or pair that is damaged is compared', () => {
  const points = Array.from({ length: 8 }, (_, n): Point => [n, 0]);
  const shards = signAll(points, [4]).map(({ read }, shard) => ({ read, shard }));
  const cut = { slices: 1, hasWords: true };
  const collated = fileOf((write) => collateShards(whole, shards, { cut, write, beat }).sections);
  const match = (bytes: Uint8Array): File =>
    fileOf((write) => {
      const parts = [{ read: readerOf(bytes), section: sectionOf(collated.sections, 0) }];
      return matchPartition(search, parts, { cut, references: 0, wordsOf: undefined, write, beat }).sections;
    });
  const matched = match(collated.bytes) as File & { bytes: Buffer };
  assert.ok(matched.bytes.length > 0);
  const flip = (bytes: Buffer, at: number): Buffer =>
    Buffer.from(bytes.map((byte, here) => (here === at ? byte ^ 1 : byte)));
  for (let at = 0; at < (collated.sections.ends[0] ?? 0); at += 1) {
    assert.throws(() => match(flip(collated.bytes, at)), StoredBytesDamaged);
  }
  for (const at of matched.bytes.keys()) {
    const read = readerOf(flip(matched.bytes, at));
    assert.throws(() => [...joinPairs([{ read, sections: matched.sections }])], StoredBytesDamaged);
  }
});

test('words that are not those that were signed are not compared', () => {
  const points = Array.from({ length: 4 }, (_, n): Point => [n, 0]);
  const shards = signAll(points, [4]);
  const cut = { slices: 1, hasWords: false };
  const collated = fileOf(
    (write) =>
      collateShards(
        whole,
        shards.map(({ read }, shard) => ({ read, shard })),
        { cut, write, beat },
      ).sections,
  );
  const parts = [{ read: collated.read, section: sectionOf(collated.sections, 0) }];
  const others = signAll(
    points.map(([x, y]) => [x, y + 1]),
    [4],
  );
  const wordsOf = createSignedWords(
    others.map(({ read }) => read),
    search.words,
  );
  assert.throws(
    () => matchPartition(search, parts, { cut, references: 0, wordsOf, write: () => {}, beat }),
    StoredBytesDamaged,
  );
});
