import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createLanceStore, type IndexedChunk } from '../index.ts';
import type { ResidentIndex } from './resident-index.ts';
import { createResidentMemory } from './resident-memory.ts';

const dimensions = 32;
const clusters = 50;

function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5;
}

const random = createRandom(5);
const centres = Array.from({ length: clusters }, () => Float32Array.from({ length: dimensions }, random));
const near = (cluster: number): Float32Array =>
  Float32Array.from(centres[cluster % clusters] ?? [], (value) => value + 0.6 * random());

function chunks(unit: number, count: number): IndexedChunk[] {
  return Array.from({ length: count }, (_, ordinal) => ({ unit, ordinal, words: `w${unit}`, vector: near(ordinal) }));
}

type Settings = { residentBytes?: number; numbers?: number; mostProducts?: number | undefined };

async function openIndex(t: TestContext, given: Settings = {}): Promise<ResidentIndex> {
  const { residentBytes = 64 << 20, numbers = dimensions, mostProducts } = given;
  const directory = mkdtempSync(join(tmpdir(), 'tilth-resident-'));
  const warnings: string[] = [];
  const logger = {
    warn: (details: object, message: string) => void warnings.push(`${message} ${JSON.stringify(details)}`),
  };
  const store = createLanceStore({ directory, residentBytes, mostProducts, logger });
  t.after(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
    assert.deepEqual(warnings, []);
  });
  return (await store.open('a', numbers)) as ResidentIndex;
}

/** Searches until results come from memory. */
async function load(index: ResidentIndex, answersFrom: 'FLAT' | 'GRAPH'): Promise<void> {
  await index.findNearest(new Float32Array(index.dimensions).fill(1), { limit: 1 });
  await index.settled();
  assert.equal(index.answersFrom, answersFrom);
}

const isAsked = (unit: number, units: readonly number[] | undefined): boolean => units?.includes(unit) ?? true;
const placeOf = ({ unit, ordinal }: { unit: number; ordinal: number }): string => `${unit}.${ordinal}`;

function cosine(some: Float32Array, other: Float32Array): number {
  let [product, own, others] = [0, 0, 0];
  for (let at = 0; at < some.length; at += 1) {
    const [one = 0, two = 0] = [some[at], other[at]];
    product += one * two;
    own += one * one;
    others += two * two;
  }
  return product / Math.sqrt(own * others);
}

/** The nearest of the given chunks, computed exactly. */
function exact(all: readonly IndexedChunk[], query: Float32Array, limit: number, units?: readonly number[]): string[] {
  return all
    .filter(({ unit, vector }) => isAsked(unit, units) && vector.some((value) => value !== 0))
    .map((chunk) => ({ place: placeOf(chunk), score: cosine(chunk.vector, query) }))
    .sort((some, other) => other.score - some.score)
    .slice(0, limit)
    .map(({ place }) => place);
}

for (const [answersFrom, mostProducts, least, units] of [
  ['FLAT', undefined, 0.99, [2, 5, 99]],
  ['GRAPH', 0, 0.92, undefined],
] as const)
  test(`${answersFrom}: what is in memory finds what comparing all vectors finds, and follows every write`, async (t) => {
    const index = await openIndex(t, { mostProducts });
    let all: IndexedChunk[] = [];
    for (let unit = 1; unit <= 6; unit += 1) {
      const some = chunks(unit, 1_000);
      await index.add(some);
      all.push(...some);
    }
    await index.add([{ unit: 7, ordinal: 0, words: 'zero', vector: new Float32Array(dimensions) }]);
    assert.equal(index.answersFrom, undefined, 'until a search asks');
    await load(index, answersFrom);
    const share = async (among: readonly number[] | undefined): Promise<number> => {
      let found = 0;
      for (let at = 0; at < 50; at += 1) {
        const vector = near(at).map((value) => 3 * value);
        assert.equal(index.answersFrom, answersFrom);
        const hits = await index.findNearest(vector, { limit: 10, units: among });
        const wanted = new Set(exact(all, vector, 10, among));
        found += hits.filter((hit) => wanted.has(placeOf(hit))).length;
        for (const [place, { unit, ordinal, score }] of hits.entries()) {
          assert.ok(score <= (hits[place - 1]?.score ?? 1.01) && isAsked(unit, among), 'best first');
          const own = all.find((one) => one.unit === unit && one.ordinal === ordinal);
          assert.ok(Math.abs(score - cosine(own?.vector ?? vector, vector)) < 0.002, 'the cosine similarity');
        }
      }
      return found / 500;
    };
    for (const among of [undefined, units]) assert.ok((await share(among)) >= least);

    const [added] = chunks(8, 1);
    assert.ok(added !== undefined);
    await index.add([added]);
    await index.settled();
    const [own] = await index.findNearest(added.vector, { limit: 1 });
    assert.deepEqual([own?.unit, own?.ordinal, own?.score.toFixed(2)], [8, 0, '1.00']);
    await index.remove([8, 3]);
    all = all.filter(({ unit }) => unit !== 3);
    const after = await index.findNearest(added.vector, { limit: 500 });
    assert.ok(
      after.length === 500 && after.every(({ unit }) => unit !== 8 && unit !== 3),
      'before the thread has done it',
    );
    await index.settled();
    const later = await index.findNearest(added.vector, { limit: 500 });
    assert.ok(later.length === 500 && later.every(({ unit }) => unit !== 8 && unit !== 3));
    const again = chunks(9, 1_200);
    await index.add(again);
    all.push(...again);
    await index.settled();
    for (const among of [undefined, units]) assert.ok((await share(among)) >= least);
    const everything = await index.findNearest(added.vector, { limit: 10_000 });
    assert.equal(new Set(everything.map(placeOf)).size, everything.length, 'none twice');
    if (answersFrom === 'FLAT') assert.equal(everything.length, all.length);
    assert.deepEqual(await index.findNearest(new Float32Array(dimensions), { limit: 5 }), []);
  });

test('vectors that became too many to compare make room for a graph', async (t) => {
  const index = await openIndex(t, { mostProducts: 1_500 * dimensions });
  await index.add(chunks(1, 1_500));
  await load(index, 'FLAT');
  for (let unit = 2; unit <= 5; unit += 1) await index.add(chunks(unit, 1_500));
  await index.settled();
  const few = new Float32Array(dimensions);
  few[3] = 1;
  assert.equal((await index.findNearest(few, { limit: 10 })).length, 10);
  assert.equal(index.answersFrom, 'FLAT', 'a query with few columns is quick');
  assert.equal((await index.findNearest(near(1), { limit: 10 })).length, 10);
  await index.settled();
  assert.equal(index.answersFrom, 'GRAPH');
  assert.equal((await index.findNearest(near(1), { limit: 10 })).length, 10);
});

test('deep places are right, also beside many chunks with equal vectors, each of which is found', async (t) => {
  // The more dimensions, the more nearest vectors a graph search misses.
  const numbers = 128;
  const index = await openIndex(t, { numbers, mostProducts: 0 });
  const next = createRandom(11);
  const far = (): Float32Array => Float32Array.from({ length: numbers }, next);
  const repeated = far();
  const ordinals = [...Array(1_000).keys()];
  const equal = (unit: number): IndexedChunk[] =>
    ordinals.map((ordinal) => ({ unit, ordinal, words: 'equal', vector: repeated }));
  const all = [1, 2, 3, 4].flatMap((unit) =>
    ordinals.map((ordinal) => ({ unit, ordinal, words: 'far', vector: far() })),
  );
  await index.add(all);
  for (const unit of [5, 6]) await index.add(equal(unit));
  await load(index, 'GRAPH');
  const depth = 200;
  let [shared, asked] = [0, 0];
  for (let at = 0; at < 20; at += 1) {
    // Near the equal chunks, but others are nearer.
    const query = far().map((value, place) => value + 0.12 * (repeated[place] ?? 0));
    const hits = (await index.findNearest(query, { limit: depth })).filter(({ unit }) => unit < 5);
    const wanted = new Set(exact(all, query, hits.length));
    shared += hits.filter((hit) => wanted.has(placeOf(hit))).length;
    asked += wanted.size;
  }
  assert.ok(asked >= 1_000 && shared >= 0.97 * asked, `${shared} of ${asked}`);

  const ofEqual = async (): Promise<number[]> => {
    const hits = await index.findNearest(repeated, { limit: 2_000 });
    assert.equal(new Set(hits.map(placeOf)).size, hits.length, 'none twice');
    return [5, 6].map((unit) => hits.filter((hit) => hit.unit === unit).length);
  };
  assert.deepEqual(await ofEqual(), [1_000, 1_000]);
  await index.remove([5]);
  await index.settled();
  assert.deepEqual(await ofEqual(), [0, 1_000]);
  await index.remove([6]);
  await index.settled();
  assert.deepEqual(await ofEqual(), [0, 0]);
  await index.add(equal(7).slice(0, 3));
  await index.settled();
  assert.equal((await index.findNearest(repeated, { limit: 10 })).filter(({ unit }) => unit === 7).length, 3);
});

for (const [answersFrom, mostProducts] of [
  ['FLAT', undefined],
  ['GRAPH', 0],
] as const)
  test(`${answersFrom}: what is written while vectors are loaded is among them, and what is removed is not`, async (t) => {
    const index = await openIndex(t, { mostProducts });
    for (let unit = 1; unit <= 6; unit += 1) await index.add(chunks(unit, 1_000));
    const again = chunks(4, 10);
    await index.findNearest(near(0), { limit: 1 });
    await Promise.all([index.remove([2, 4]), index.add(chunks(9, 300))]);
    await index.add(again);
    await index.settled();
    assert.equal(index.answersFrom, answersFrom);
    const hits = await index.findNearest(near(0), { limit: 5_000 });
    const counted = new Map<number, number>();
    for (const { unit } of hits) counted.set(unit, (counted.get(unit) ?? 0) + 1);
    assert.equal(counted.get(2), undefined);
    assert.equal(counted.get(4), 10);
    assert.equal(counted.get(9), 300);
    assert.equal(new Set(hits.map(placeOf)).size, hits.length, 'none twice');
  });

test('without memory the index answers', async (t) => {
  const index = await openIndex(t, { residentBytes: 1_000 });
  for (let unit = 1; unit <= 6; unit += 1) await index.add(chunks(unit, 1_000));
  assert.equal((await index.findNearest(near(0), { limit: 10 })).length, 10);
  await index.settled();
  assert.equal(index.answersFrom, undefined);
});

test('indexes share the memory: the least recently used one makes room', () => {
  const given: string[] = [];
  const memory = createResidentMemory(100);
  const take = (id: string, bytes: number): boolean => memory.take(id, bytes, () => void given.push(id));
  assert.equal(take('a', 40), true);
  assert.equal(take('b', 40), true);
  memory.touch('a');
  assert.equal(take('c', 40), true);
  assert.deepEqual(given, ['b']);
  assert.equal(memory.grow('a', 10), true);
  assert.equal(memory.grow('a', 20), true);
  assert.deepEqual(given, ['b', 'a'], 'the one that was used before the other goes, even if it is the one that grows');
  assert.equal(take('d', 101), false);
  assert.deepEqual(given, ['b', 'a']);
});
