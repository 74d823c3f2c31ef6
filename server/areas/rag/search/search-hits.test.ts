// Which hits a search has, in which order, and when it is made.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import type { FoundChunk, VectorIndex } from '../../../storage/vectors/index.ts';
import type { Models } from '../../../models/index.ts';
import { insertKnowledgeBase } from '../queries/knowledge-bases.ts';
import { noFollowing } from '../following.ts';
import { findCandidates } from './candidates.ts';
import { createSearch } from './search.ts';
import { asShares } from './reranking.ts';

forAnyDatabase('searches wait for their turn, and those whose caller has gone are not made', async (t, open) => {
  const db = await open();
  const base = {
    id: '0190f0f0-0000-7000-8000-000000000001',
    name: 'Soil',
    description: '',
    embedding_model: 'builtin:hash-512',
    index_id: '0190f0f0-0000-7000-8000-000000000002',
    dimensions: 1,
    chunking: '{}',
    last_unit: 0,
    found_revision: 0,
    created_at: '2026-01-01T00:00:00.000Z',
    created_by: 'test',
    updated_at: '2026-01-01T00:00:00.000Z',
  };
  await db.write((tx) => insertKnowledgeBase(tx, base));
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.after(() => mayEnd.resolve());
  let made = 0;
  const index: VectorIndex = {
    dimensions: 1,
    add: async () => {},
    remove: async () => {},
    findNearest: async () => [],
    findWords: async () => {
      made += 1;
      begun.resolve();
      await mayEnd.promise;
      return [];
    },
    countByUnit: async () => new Map(),
    join: async () => {},
  };
  const vectors = { open: async () => index };
  const unused = (): never => assert.fail('a search by words asks no model');
  const reconciliation = { requireWhole: async () => {}, makeAgain: unused };
  const models = { embed: unused, rerank: unused, registry: {} as Models['registry'] };
  const { search } = createSearch({ db, models, vectors, reconciliation, following: noFollowing, atOnce: 1 });
  const gone = new AbortController();
  const ask = (signal?: AbortSignal) => search(base.id, { query: 'soil', mode: 'KEYWORD' }, signal);
  const first = ask();
  await begun.promise;
  const waiting = Promise.allSettled(Array.from({ length: 3 }, () => ask(gone.signal)));
  const last = ask();
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  gone.abort(new Error('gone'));
  for (const one of await waiting) assert.match(one.status === 'rejected' ? String(one.reason) : 'made', /gone/);
  assert.equal(made, 1);
  mayEnd.resolve();
  await Promise.all([first, last]);
  assert.equal(made, 2);
});

test('chunks that no document names take no place of others, however many there are', async () => {
  const asked: number[] = [];
  const found = (limit: number): FoundChunk[] =>
    Array.from({ length: 2_000 }, (_, at) => ({ unit: at < 1_500 ? 1 : 2, ordinal: at, score: 1 - at / 2_000 })).slice(
      0,
      limit,
    );
  const index: VectorIndex = {
    dimensions: 1,
    add: async () => {},
    remove: async () => {},
    findNearest: async (_vector, { limit }) => {
      asked.push(limit);
      return found(limit);
    },
    findWords: async (_query, { limit }) => found(limit),
    join: async () => {},
    countByUnit: async () => new Map(),
  };
  const query = { query: 'q', weights: { vector: 1, keyword: 1 }, vector: new Float32Array(1), units: undefined };
  const keepCurrent = async (units: readonly number[]): Promise<Set<number>> =>
    new Set(units.filter((unit) => unit === 2));
  for (const mode of ['VECTOR', 'KEYWORD', 'HYBRID'] as const) {
    const hits = await findCandidates(index, { ...query, mode, limit: 10, keepCurrent });
    assert.deepEqual(
      hits.map(({ ordinal }) => ordinal),
      Array.from({ length: 10 }, (_, at) => 1_500 + at),
      mode,
    );
    if (mode === 'HYBRID') assert.equal(hits[0]?.score, 1, 'ranks are among chunks that are found');
  }
  const none = await findCandidates(index, { ...query, mode: 'VECTOR', limit: 10, keepCurrent: async () => new Set() });
  assert.deepEqual(none, [], 'ends when the index has no more');
  assert.ok(asked.length < 16);
});

test('the first hits of a hybrid search are the same for each number of hits', async () => {
  const byVector = Array.from({ length: 300 }, (_, at) => ({ unit: 1, ordinal: at, score: 1 - at / 300 }));
  const byKeyword = byVector.map((one, at) => ({ ...one, ordinal: 299 - ((at * 7) % 300) }));
  const index: VectorIndex = {
    dimensions: 1,
    add: async () => {},
    remove: async () => {},
    findNearest: async (_vector, { limit }) => byVector.slice(0, limit),
    findWords: async (_query, { limit }) => byKeyword.slice(0, limit),
    countByUnit: async () => new Map(),
    join: async () => {},
  };
  const find = (limit: number) =>
    findCandidates(index, {
      query: 'q',
      mode: 'HYBRID',
      weights: { vector: 1, keyword: 1 },
      vector: new Float32Array(1),
      limit,
      units: undefined,
      keepCurrent: async (units) => new Set(units),
    });
  const all = await find(200);
  assert.equal(all.length, 200);
  for (const limit of [1, 10, 100]) assert.deepEqual(await find(limit), all.slice(0, limit), String(limit));
});

test('logits become shares, and shares stay', () => {
  assert.deepEqual(asShares([0, 0.5, 1]), [0, 0.5, 1]);
  assert.deepEqual(
    asShares([-2, 0, 2]).map((share) => share.toFixed(3)),
    ['0.119', '0.500', '0.881'],
  );
});
