import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { refuse, send, startProvider, type Answer } from '../../../../tests/fakes/model-provider.ts';
import { createKnowledgeBase, type TestHit } from '../../../../tests/support/knowledge-bases.ts';
import type { FoundChunk, VectorIndex } from '../../../storage/vectors/index.ts';
import type { Models } from '../../../models/index.ts';
import { insertKnowledgeBase } from '../queries/knowledge-bases.ts';
import { noFollowing } from '../following.ts';
import { findCandidates } from './candidates.ts';
import { createSearch } from './search.ts';
import { asShares } from './reranking.ts';
import { sharedApp } from '../../../../tests/support/shared-app.ts';

const names = (hits: readonly TestHit[]): string[] => hits.map(({ documentName }) => documentName);
const shared = sharedApp(import.meta.url, { settings: { TILTH_OUTGOING_ALLOW: '127.0.0.1' } });

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

shared.forAnyDatabase(
  'rare words of a query weigh more than frequent ones, and weights follow what is indexed',
  async (_t, service) => {
    const base = await createKnowledgeBase(service);
    const frequent = Object.fromEntries(
      ['barn', 'silo', 'field', 'fence', 'plough', 'orchard'].map((word) => [
        `${word}.txt`,
        `The old farm house has a ${word}.`,
      ]),
    );
    await base.add({ ...frequent, 'rare.txt': 'A zebra was seen.' });
    await base.settled();
    const query = { query: 'farm house zebra', mode: 'VECTOR' };
    assert.equal((await base.search(query))[0]?.documentName, 'rare.txt');
    await base.add(
      Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`z${at}.txt`, `A zebra of the kind number ${at}.`])),
    );
    await base.settled();
    const [first] = await base.search(query);
    assert.ok(first !== undefined && first.documentName in frequent, 'now zebras are frequent');
  },
);

test('weights of the lists decide hybrid search, and wrong ones are refused', async () => {
  const service = await shared.open();
  const base = await createKnowledgeBase(service);
  await base.add({
    'a.txt': 'Harrowing harrowed harrower.',
    'b.txt': 'One harrow among many quite other words of a farm.',
  });
  await base.settled();
  const search = (weights: object) => base.search({ query: 'harrow', weights });
  assert.deepEqual(names(await search({ vector: 0, keyword: 1 })), ['b.txt'], 'only one has the word');
  const byVector = names(await base.search({ query: 'harrow', mode: 'VECTOR' }));
  assert.deepEqual(names(await search({ vector: 1, keyword: 0 })), byVector);
  const [first] = await search({ vector: 1, keyword: 100 });
  assert.equal(first?.documentName, 'b.txt');
  type Base = { data: { hybridWeights: object } };
  const { hybridWeights } = (await service.api<Base>('GET', base.path)).body.data;
  assert.deepEqual(hybridWeights, { vector: 1, keyword: 3 }, 'of the built-in embedding, which knows words alone');
  const usual = await base.search({ query: 'harrow' });
  assert.deepEqual(usual, await search(hybridWeights));
  assert.notDeepEqual(usual, await search({ vector: 1, keyword: 1 }));
  for (const weights of [{ vector: 0, keyword: 0 }, { vector: -1, keyword: 1 }, { vector: 1 }]) {
    const { status } = await service.api('POST', `${base.path}/search`, { query: 'harrow', weights });
    assert.equal(status, 400, JSON.stringify(weights));
  }
});

test('filters are values, whatever they look like, and what no filter knows is dropped', async () => {
  const service = await shared.open();
  const base = await createKnowledgeBase(service);
  await base.add({ 'a.txt': 'Soil is here.' }, { tags: '["it\'s"]', metadata: '{"la\\"ng": "e\'n"}' });
  await base.settled();
  const search = (filter: object) => base.search({ query: 'soil', filter });
  const attacks = [
    "' OR '1'='1",
    "x') OR 1=1 --",
    '"; drop table rag_documents; --',
    '%',
    '_',
    'unit IN (1)',
    ') OR true OR (unit = 1',
    '\\',
    '$1',
    '?',
  ];
  for (const attack of attacks) {
    for (const filter of [
      { tags: [attack] },
      { fileTypes: [attack.slice(0, 20)] },
      { metadata: { [attack]: attack } },
      { metadata: { 'la"ng': attack } },
    ])
      assert.deepEqual(await search(filter), [], JSON.stringify(filter));
    assert.equal((await base.search({ query: attack })).length <= 1, true, attack);
    const filter = { documentIds: [attack], datasetIds: [attack] };
    const asked = { query: 'soil', filter };
    const { status, body } = await service.api<{ data?: { hits: [] } }>('POST', `${base.path}/search`, asked);
    assert.ok(status === 400 || body.data?.hits.length === 0, attack);
  }
  assert.equal((await search({ tags: ["it's"], metadata: { 'la"ng': "e'n" } })).length, 1);
  assert.equal((await search({ owner: ['nobody'] })).length, 1, 'as every unknown field');
  assert.equal(
    (await service.api('POST', `${base.path}/search`, { query: 'soil', filter: { tags: 'x' } })).status,
    400,
  );
  assert.equal((await search({})).length, 1, 'and nothing was dropped');
});

test('a reranker orders the hits; a failing one fails the search and says why', async (t) => {
  const service = await shared.open();
  const provider = await startProvider(t);
  const add = async (changes: object = {}) => {
    const model = { name: 'Ranks', kind: 'RERANKER', provider: 'openai-compatible', model: 'r', ...changes };
    const { status, body } = await service.api<{ data: { id: string } }>('POST', '/settings/models', {
      baseUrl: provider.baseUrl,
      ...model,
    });
    assert.equal(status, 201, JSON.stringify(body));
    return body.data.id;
  };
  const model = await add({ apiKey: 'sk-ranks', prices: { input: 1, output: 0 } });
  const base = await createKnowledgeBase(service);
  const texts = { 'a.txt': 'Soil one.', 'b.txt': 'Soil two two.', 'c.md': '# Land\n\nSoil three three three.' };
  await base.add(texts);
  await base.settled();
  /** Longer documents are more relevant. */
  const ranks: Answer = ({ body }, response) => {
    const { documents = [] } = body as { documents?: string[] };
    const results = documents.map((text, index) => ({ index, relevance_score: Math.min(1, text.length / 100) }));
    send(response, 200, {
      results: results.toSorted((a, b) => b.relevance_score - a.relevance_score),
      usage: { total_tokens: 12 },
    });
  };
  provider.answer = ranks;
  const hits = await base.search({ query: 'soil', rerank: { model }, topK: 2 });
  assert.deepEqual(names(hits), ['c.md', 'b.txt']);
  const [request] = provider.requests;
  assert.deepEqual([request?.path, request?.headers.authorization], ['/v1/rerank', 'Bearer sk-ranks']);
  const sent = request?.body as { model?: string; query?: string; documents?: string[]; top_n?: number };
  assert.deepEqual([sent.model, sent.query, sent.documents?.length, sent.top_n], ['r', 'soil', 3, 3]);
  assert.ok(sent.documents?.includes('# Land\n\nSoil three three three.'));
  const [best] = hits as (TestHit & { scores: { rerank: number | null } })[];
  assert.equal(best?.score, best?.scores.rerank);
  assert.ok(best?.scores.vector !== null && best?.scores.keyword !== null && best?.highlights.length === 1);
  assert.deepEqual(names(await base.search({ query: 'soil', rerank: { model }, minScore: best?.score })), ['c.md']);
  type Usage = { data: { totals: object } };
  const usage = await service.api<Usage>('GET', `/settings/models/${model}/usage`);
  assert.deepEqual(usage.body.data.totals, {
    calls: 2,
    inputTokens: 24,
    outputTokens: 0,
    cost: 0.000024,
    unreportedCalls: 0,
  });
  assert.match(
    JSON.stringify((await service.api('POST', `/settings/models/${model}/test`)).body),
    /Ranks works: it ranks/,
  );

  const result = (index: unknown, score: unknown) => ({ index, relevance_score: score });
  const wrong: readonly (readonly [name: string, answer: Answer, message: RegExp])[] = [
    ['none', (_request, response) => send(response, 200, { data: [] }), /without results/],
    ['too few', (_request, response) => send(response, 200, { results: [result(0, 1)] }), /1 results for 3/],
    [
      'one twice',
      (_request, response) => send(response, 200, { results: [result(0, 1), result(0, 1), result(1, 1)] }),
      /can not be told/,
    ],
    [
      'an index that is none',
      (_request, response) => send(response, 200, { results: [result(0, 1), result(7, 1), result(1, 1)] }),
      /can not be told/,
    ],
    [
      'a score that is text',
      (_request, response) => send(response, 200, { results: [0, 1, 2].map((at) => result(at, '1')) }),
      /no score/,
    ],
    ['null', (_request, response) => send(response, 200, { results: [null, null, null] }), /can not be told/],
    ['no JSON', (_request, response) => send(response, 200, 'sorry'), /damaged/],
    ['refusal', refuse(401, 'bad key sk-ranks'), /refuses the API key/],
    ['hangs up', (_request, response) => response.destroy(), /./],
  ];
  for (const [name, answer, message] of wrong) {
    provider.answer = answer;
    const { status, body } = await service.api('POST', `${base.path}/search`, { query: 'soil', rerank: { model } });
    assert.deepEqual([status, body.errorCode], [503, 'RAG_NOT_RERANKED'], name);
    assert.match(String(body.error), message, name);
    assert.doesNotMatch(String(body.error), /sk-ranks/, name);
  }
  provider.answer = ranks;
  const search = async (id: string) =>
    await service.api('POST', `${base.path}/search`, { query: 'soil', rerank: { model: id } });
  assert.equal((await search('builtin:hash-512')).status, 409);
  assert.equal((await search('no-such-model')).status, 404);
  const capped = await add({ limits: { perDay: { maxCalls: 1 } } });
  assert.equal((await search(capped)).status, 200);
  const over = await search(capped);
  assert.equal(over.status, 503);
  assert.match(String(over.body.error), /budget/);
  const inside = await search(await add({ baseUrl: 'http://169.254.169.254/v1' }));
  assert.deepEqual(
    [inside.status, /forbid|not allowed|private|address/i.test(String(inside.body.error))],
    [503, true],
    String(inside.body.error),
  );
  assert.equal((await base.search({ query: 'nothing-like-it', mode: 'KEYWORD', rerank: { model } })).length, 0);
});

test('logits become shares, and shares stay', () => {
  assert.deepEqual(asShares([0, 0.5, 1]), [0, 0.5, 1]);
  assert.deepEqual(
    asShares([-2, 0, 2]).map((share) => share.toFixed(3)),
    ['0.119', '0.500', '0.881'],
  );
});
