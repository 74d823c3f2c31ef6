import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createLanceStore, type IndexedChunk, type VectorIndex } from '../index.ts';
import type { GraphIndex } from './graph-index.ts';
import { createGraphMemory } from './graph-memory.ts';

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

async function openIndex(t: TestContext, graphBytes: number, numbers = dimensions): Promise<GraphIndex> {
  const directory = mkdtempSync(join(tmpdir(), 'tilth-graph-'));
  const warnings: string[] = [];
  const logger = {
    warn: (details: object, message: string) => void warnings.push(`${message} ${JSON.stringify(details)}`),
  };
  const store = createLanceStore({ directory, graphBytes, logger });
  t.after(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
    assert.deepEqual(warnings, []);
  });
  return (await store.open('a', numbers)) as GraphIndex;
}

/** Searches until a graph answers. */
async function buildGraph(index: GraphIndex): Promise<void> {
  await index.findNearest(new Float32Array(index.dimensions).fill(1), { limit: 1 });
  await index.settled();
  assert.equal(index.hasGraph, true);
}

const exact = async (index: VectorIndex, vector: Float32Array, limit: number): Promise<string[]> => {
  // With units the index itself answers.
  const units = [...(await index.countByUnit()).keys()];
  return (await index.findNearest(vector, { limit, units })).map(({ unit, ordinal }) => `${unit}.${ordinal}`);
};

test('a graph finds what comparing all vectors finds, and follows every write', async (t) => {
  const index = await openIndex(t, 64 << 20);
  for (let unit = 1; unit <= 6; unit += 1) await index.add(chunks(unit, 1_000));
  await index.add([{ unit: 7, ordinal: 0, words: 'zero', vector: new Float32Array(dimensions) }]);
  assert.equal(index.hasGraph, false, 'until a search asks');
  await buildGraph(index);
  const share = async (): Promise<number> => {
    let found = 0;
    for (let at = 0; at < 50; at += 1) {
      const vector = near(at);
      assert.equal(index.hasGraph, true);
      const hits = await index.findNearest(vector, { limit: 10 });
      const wanted = new Set(await exact(index, vector, 10));
      found += hits.filter(({ unit, ordinal }) => wanted.has(`${unit}.${ordinal}`)).length;
      for (const [place, { score }] of hits.entries())
        assert.ok(score <= (hits[place - 1]?.score ?? 1.01) && score > 0.1, 'best first');
    }
    return found / 500;
  };
  assert.ok((await share()) >= 0.92);

  const [added] = chunks(8, 1);
  assert.ok(added !== undefined);
  await index.add([added]);
  await index.settled();
  const [own] = await index.findNearest(added.vector, { limit: 1 });
  assert.deepEqual([own?.unit, own?.ordinal, own?.score.toFixed(2)], [8, 0, '1.00']);
  await index.remove([8, 3]);
  const after = await index.findNearest(added.vector, { limit: 500 });
  assert.ok(
    after.length === 500 && after.every(({ unit }) => unit !== 8 && unit !== 3),
    'before the thread has done it',
  );
  await index.settled();
  const later = await index.findNearest(added.vector, { limit: 500 });
  assert.ok(later.length === 500 && later.every(({ unit }) => unit !== 8 && unit !== 3));
  assert.ok((await share()) >= 0.92);
  assert.deepEqual(await index.findNearest(new Float32Array(dimensions), { limit: 5 }), []);
});

test('deep places are right, also beside many chunks with equal vectors, each of which is found', async (t) => {
  // The more numbers, the more paths of a graph lead astray.
  const numbers = 128;
  const index = await openIndex(t, 64 << 20, numbers);
  const next = createRandom(11);
  const far = (): Float32Array => Float32Array.from({ length: numbers }, next);
  const repeated = far();
  const ordinals = [...Array(1_000).keys()];
  const equal = (unit: number): IndexedChunk[] =>
    ordinals.map((ordinal) => ({ unit, ordinal, words: 'equal', vector: repeated }));
  for (let unit = 1; unit <= 4; unit += 1)
    await index.add(ordinals.map((ordinal) => ({ unit, ordinal, words: 'far', vector: far() })));
  for (const unit of [5, 6]) await index.add(equal(unit));
  await buildGraph(index);
  const depth = 200;
  let [shared, all] = [0, 0];
  for (let at = 0; at < 20; at += 1) {
    // Near the equal ones, but others are nearer.
    const query = far().map((value, place) => value + 0.12 * (repeated[place] ?? 0));
    const isEqual = (place: string): boolean => /^[56]\./.test(place);
    const wanted = new Set((await exact(index, query, depth)).filter((place) => !isEqual(place)));
    const hits = (await index.findNearest(query, { limit: depth })).map(({ unit, ordinal }) => `${unit}.${ordinal}`);
    shared += hits.filter((place) => wanted.has(place)).length;
    all += wanted.size;
  }
  assert.ok(all >= 1_000 && shared >= 0.97 * all, `${shared} of ${all}`);

  const ofEqual = async (): Promise<number[]> => {
    const hits = await index.findNearest(repeated, { limit: 2_000 });
    assert.equal(new Set(hits.map(({ unit, ordinal }) => `${unit}.${ordinal}`)).size, hits.length, 'none twice');
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

test('what is written while a graph is built is in it, and what is removed is not', async (t) => {
  const index = await openIndex(t, 64 << 20);
  for (let unit = 1; unit <= 6; unit += 1) await index.add(chunks(unit, 1_000));
  const again = chunks(4, 10);
  await index.findNearest(near(0), { limit: 1 });
  await Promise.all([index.remove([2, 4]), index.add(chunks(9, 300))]);
  await index.add(again);
  await index.settled();
  assert.equal(index.hasGraph, true);
  const hits = await index.findNearest(near(0), { limit: 5_000 });
  const counted = new Map<number, number>();
  for (const { unit } of hits) counted.set(unit, (counted.get(unit) ?? 0) + 1);
  assert.equal(counted.get(2), undefined);
  assert.equal(counted.get(4), 10);
  assert.equal(counted.get(9), 300);
  assert.equal(new Set(hits.map(({ unit, ordinal }) => `${unit}.${ordinal}`)).size, hits.length, 'none twice');
});

test('without memory there is no graph, and the index answers', async (t) => {
  const index = await openIndex(t, 1_000);
  for (let unit = 1; unit <= 6; unit += 1) await index.add(chunks(unit, 1_000));
  assert.equal((await index.findNearest(near(0), { limit: 10 })).length, 10);
  await index.settled();
  assert.equal(index.hasGraph, false);
});

test('graphs share their memory: the least recently used one makes room', () => {
  const given: string[] = [];
  const memory = createGraphMemory(100);
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
