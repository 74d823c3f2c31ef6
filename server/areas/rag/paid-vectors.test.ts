// Paid vectors are stored as each batch arrives, and outlive the index that they were bought for.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { embeddings, refuse, startProvider } from '../../../tests/fakes/model-provider.ts';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { createKnowledgeBase, type TestKnowledgeBase } from '../../../tests/support/knowledge-bases.ts';
import type { Api } from '../../../tests/support/api.ts';
import { startApp } from '../../../tests/support/server.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const settings = { TILTH_OUTGOING_ALLOW: '127.0.0.1' };
const shared = sharedApp(import.meta.url, { settings });
const sentences = { strategy: 'SENTENCE', size: 40, overlap: 0 };
const textOf = (field: string): string =>
  Array.from({ length: 40 }, (_, at) => `Sentence ${at} speaks of ${field}.`).join(' ');

async function addModel(service: Api, baseUrl: string, model: string, limits: object = {}): Promise<string> {
  const given = { name: model, kind: 'EMBEDDING', baseUrl, model, limits };
  const { status, body } = await service.api<{ data: { id: string } }>('POST', '/settings/models', given);
  assert.equal(status, 201, JSON.stringify(body));
  return body.data.id;
}

/** Changes settings and waits until searches use the index that has them. */
async function change(service: Api, { path }: TestKnowledgeBase, changes: object): Promise<void> {
  const { status, body } = await service.api('PUT', path, changes);
  assert.equal(status, 200, JSON.stringify(body));
  await until(async () => {
    const { body: now } = await service.api<{ data: { rebuild: object | null } }>('GET', path);
    return now.data.rebuild === null;
  });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); await setTimeout(20)) assert.ok(Date.now() < end);
}

shared.forAnyDatabase('each batch of vectors is stored as soon as it is answered', async (t, service) => {
  const provider = await startProvider(t);
  const paid: string[] = [];
  let left = 3;
  provider.answer = (request, response, raw) => {
    left -= 1;
    if (left < 0) refuse(400, 'not now')(request, response, raw);
    else {
      paid.push(...(request.body.input ?? []));
      embeddings(request, response);
    }
  };
  const embeddingModel = await addModel(service, provider.baseUrl, 'm', { batchSize: 8, concurrency: 1 });
  const base = await createKnowledgeBase(service, { embeddingModel, chunking: sentences });
  const [document] = await base.add({ 'wheat.txt': textOf('wheat') });
  assert.equal((await base.settled())[0]?.status, 'FAILED');
  assert.equal(paid.length, 24);
  left = Infinity;
  assert.equal((await service.api('POST', `${base.path}/documents/${document?.id}/retry`)).status, 200);
  const [settled] = await base.settled();
  assert.deepEqual([settled?.status, settled?.chunkCount], ['COMPLETED', 40]);
  assert.deepEqual([paid.length, new Set(paid).size], [40, 40], 'no text is paid for twice');
  const hits = await base.search({ query: 'Sentence 7 speaks of wheat.', mode: 'VECTOR', topK: 40 });
  assert.equal(hits.length, 40);
});

forAnyDatabase('settings that come back pay for nothing again', async (t, open, database) => {
  const provider = await startProvider(t, embeddings);
  const service = await startApp(t, { database, settings });
  const asked = (model: string): number =>
    provider.requests
      .filter(({ body }) => body.model === model)
      .reduce((sum, { body }) => sum + (body.input?.length ?? 0), 0);
  const [first, second] = [
    await addModel(service, provider.baseUrl, 'first'),
    await addModel(service, provider.baseUrl, 'second'),
  ];
  const base = await createKnowledgeBase(service, { embeddingModel: first, chunking: sentences });
  await base.add({ 'wheat.txt': textOf('wheat'), 'rye.txt': textOf('rye') });
  await base.settled();
  assert.deepEqual([asked('first'), asked('second')], [80, 0]);

  await change(service, base, { embeddingModel: second });
  await change(service, base, { embeddingModel: first });
  assert.deepEqual([asked('first'), asked('second')], [80, 80], 'another model and back');
  const large = { strategy: 'RECURSIVE', size: 400, overlap: 0 };
  await change(service, base, { chunking: large });
  const more = asked('first') - 80;
  assert.ok(more > 0);
  await change(service, base, { chunking: sentences });
  await change(service, base, { chunking: large });
  await change(service, base, { embeddingModel: second });
  const mixed = asked('second') - 80;
  await change(service, base, { embeddingModel: first, chunking: sentences });
  assert.deepEqual([asked('first'), asked('second')], [80 + more, 80 + mixed], 'another chunking and back');
  assert.equal(mixed, more);
  const documents = await base.settled();
  assert.deepEqual(
    documents.map(({ status, chunkCount }) => [status, chunkCount]),
    [
      ['COMPLETED', 40],
      ['COMPLETED', 40],
    ],
  );

  // Neither forever, nor longer than the knowledge base.
  const db = await open();
  const count = async (table: 'rag_units' | 'rag_vectors' | 'rag_disposals'): Promise<number> =>
    (await db.read.selectFrom(table).selectAll().execute()).length;
  assert.equal(await count('rag_units'), 2 * 8);
  await db.write((tx) => tx.updateTable('rag_disposals').set({ keep_until: '2026-01-01' }).execute());
  const short = await createKnowledgeBase(service);
  await short.add({ 'oats.txt': 'Oats.' });
  await short.settled();
  await change(service, short, { chunking: sentences });
  await until(async () => (await count('rag_disposals')) === 0);
  assert.equal(await count('rag_units'), 3);
  await change(service, base, { embeddingModel: second });
  assert.equal(await count('rag_disposals'), 1);
  assert.equal((await service.api('DELETE', base.path)).status, 204);
  await until(async () => (await count('rag_disposals')) === 0);
  assert.deepEqual([await count('rag_units'), await count('rag_vectors')], [1, 0]);
});

shared.forAnyDatabase(
  'a knowledge base without documents takes a model with vectors of another length',
  async (t, service) => {
    const provider = await startProvider(t);
    provider.answer = embeddings;
    const embeddingModel = await addModel(service, provider.baseUrl, 'm');
    const base = await createKnowledgeBase(service, { chunking: sentences });
    const [first] = await base.add({ 'rye.txt': 'Rye.' });
    await base.settled();
    assert.equal((await base.search({ query: 'rye' })).length, 1);
    assert.equal((await service.api('DELETE', `${base.path}/documents/${first?.id}`)).status, 204);
    await change(service, base, { embeddingModel });
    await base.add({ 'wheat.txt': 'Wheat.' });
    const [document] = await base.settled();
    assert.deepEqual([document?.status, document?.cause], ['COMPLETED', null]);
    assert.equal((await base.search({ query: 'wheat' })).length, 1);
  },
);
