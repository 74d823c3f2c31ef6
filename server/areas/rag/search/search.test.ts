import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuse, send, startProvider, type Answer } from '../../../../tests/fakes/model-provider.ts';
import { createKnowledgeBase, type TestHit } from '../../../../tests/support/knowledge-bases.ts';
import { sharedApp } from '../../../../tests/support/shared-app.ts';

const names = (hits: readonly TestHit[]): string[] => hits.map(({ documentName }) => documentName);
const shared = sharedApp(import.meta.url, { settings: { TILTH_OUTGOING_ALLOW: '127.0.0.1' } });

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
  // BM25 scores change a little once the words are compacted; ranks do not.
  const scored = (hits: readonly TestHit[]) => hits.map(({ chunkId, score }) => ({ chunkId, score }));
  const usual = scored(await base.search({ query: 'harrow' }));
  assert.deepEqual(usual, scored(await search(hybridWeights)));
  assert.notDeepEqual(usual, scored(await search({ vector: 1, keyword: 1 })));
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
