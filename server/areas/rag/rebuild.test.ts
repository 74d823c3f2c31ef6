import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { test } from 'node:test';
import { embeddings, startProvider } from '../../../tests/fakes/model-provider.ts';
import { createKnowledgeBase, type TestKnowledgeBase } from '../../../tests/support/knowledge-bases.ts';
import type { Api } from '../../../tests/support/api.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url, { settings: { TILTH_OUTGOING_ALLOW: '127.0.0.1' } });

type Rebuild = {
  embeddingModel: string;
  chunking: { strategy: string; size: number };
  switch: string;
  status: string;
  documents: { done: number; total: number; failed: number };
  chunkCount: number;
  cause: string | null;
};
type Base = {
  status: string;
  embeddingModel: string;
  chunking: { strategy: string; size: number };
  chunkCount: number;
  rebuild: Rebuild | null;
};
type Answer = { status: number; base: Base };

async function change(service: Api, { path }: TestKnowledgeBase, changes: object): Promise<Answer> {
  const { status, body } = await service.api<{ data: Base }>('PUT', path, changes);
  return { status, base: body.data };
}

/** Polls until the knowledge base is as wanted. */
async function until(service: Api, { path }: TestKnowledgeBase, wanted: (base: Base) => boolean): Promise<Base> {
  for (const end = Date.now() + 60_000; ;) {
    const { body } = await service.api<{ data: Base }>('GET', path);
    if (wanted(body.data)) return body.data;
    assert.ok(Date.now() < end, JSON.stringify(body.data));
    await setTimeout(20);
  }
}

const textOf = (field: string): string =>
  Array.from({ length: 30 }, (_, at) => `Sentence ${at} speaks of ${field}.`).join(' ');

shared.forAnyDatabase(
  'another chunking is built beside the one in use, compared, and switched to',
  async (_t, service) => {
    const base = await createKnowledgeBase(service, { chunking: { strategy: 'SENTENCE', size: 40, overlap: 0 } });
    const [wheat, oats] = await base.add({ 'wheat.txt': textOf('wheat'), 'oats.txt': textOf('oats') });
    await base.settled();
    const before = await until(service, base, () => true);
    assert.deepEqual([before.status, before.rebuild, before.chunkCount], ['READY', null, 60]);

    const large = { chunking: { strategy: 'RECURSIVE', size: 400, overlap: 0 }, switch: 'MANUAL' };
    const begun = await change(service, base, large);
    assert.equal(begun.status, 200);
    assert.deepEqual([begun.base.status, begun.base.chunking.size, begun.base.chunkCount], ['BUILDING', 40, 60]);
    assert.deepEqual([begun.base.rebuild?.chunking.size, begun.base.rebuild?.switch], [400, 'MANUAL']);
    const ready = await until(service, base, ({ rebuild }) => rebuild?.status === 'READY');
    assert.deepEqual(ready.rebuild?.documents, { done: 2, total: 2, failed: 0 });
    assert.deepEqual([ready.status, ready.chunking.size, ready.chunkCount], ['READY', 40, 60]);
    const chunkCount = ready.rebuild.chunkCount;
    assert.ok(chunkCount > 0 && chunkCount < 20);
    const old = await base.search({ query: 'sentence 7 wheat' });
    assert.ok(
      old.every(({ text }) => text.length <= 40),
      'searches ask the index in use',
    );

    // Uploaded and deleted meanwhile.
    await base.add({ 'barley.txt': textOf('barley') });
    await base.settled();
    assert.equal((await service.api('DELETE', `${base.path}/documents/${oats?.id}`)).status, 204);
    const more = await until(
      service,
      base,
      ({ rebuild }) => rebuild?.status === 'READY' && rebuild.documents.done === 2 && rebuild.documents.total === 2,
    );
    assert.equal(more.chunkCount, 60);

    const settings = [{ topK: 3 }, { topK: 3, index: 'NEXT' }];
    const evaluate = { questions: [{ question: 'wheat', documentIds: [wheat?.id] }], settings };
    type Results = { data: { results: { recall: number; settings: object }[] } };
    const compared = await service.api<Results>('POST', `${base.path}/evaluate`, evaluate);
    assert.deepEqual(
      compared.body.data.results.map(({ recall }) => recall),
      [1, 1],
    );
    const generated = await service.api<Results>('POST', `${base.path}/evaluate`, { generate: { count: 5 }, settings });
    assert.equal(generated.status, 200, JSON.stringify(generated.body));
    assert.ok((generated.body.data.results[1]?.recall ?? 0) > 0, 'a chunk is found again in another cut');

    const switched = await service.api<{ data: Base }>('POST', `${base.path}/rebuild/switch`);
    assert.equal(switched.status, 200, JSON.stringify(switched.body));
    assert.deepEqual([switched.body.data.chunking.size, switched.body.data.rebuild], [400, null]);
    const hits = await base.search({ query: 'sentence 7' });
    assert.deepEqual(new Set(hits.map(({ documentName }) => documentName)), new Set(['wheat.txt', 'barley.txt']));
    assert.ok(hits.some(({ text }) => text.length > 40));
    assert.equal((await service.api('POST', `${base.path}/rebuild/switch`)).status, 404);
    assert.equal((await service.api('POST', `${base.path}/evaluate`, evaluate)).status, 404);

    // Cancelled, changed back, and switched automatically.
    await change(service, base, { chunking: { size: 100 }, switch: 'MANUAL' });
    assert.equal((await service.api('DELETE', `${base.path}/rebuild`)).status, 204);
    assert.equal((await service.api('DELETE', `${base.path}/rebuild`)).status, 404);
    await change(service, base, { chunking: { size: 100 }, switch: 'MANUAL' });
    assert.equal((await change(service, base, { chunking: { size: 400, overlap: 0 } })).base.rebuild, null);
    await change(service, base, { chunking: { size: 100 }, switch: 'MANUAL' });
    assert.equal((await change(service, base, { chunking: { size: 50 } })).base.rebuild?.chunking.size, 50);
    const automatic = await until(service, base, ({ rebuild }) => rebuild === null);
    assert.equal(automatic.chunking.size, 50);
    assert.ok((await base.search({ query: 'barley' })).every(({ text }) => text.length <= 50));
  },
);

shared.forAnyDatabase('a document that another model can not embed is not lost by itself', async (t, service) => {
  const provider = await startProvider(t, (request, response) => {
    const refused = (request.body.input ?? []).some((text) => text.includes('rye'));
    if (refused && request.body.model === 'second') {
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"no rye"}}');
      return;
    }
    embeddings(request, response);
  });
  const addModel = async (model: string): Promise<string> => {
    const given = { name: model, kind: 'EMBEDDING', baseUrl: provider.baseUrl, model };
    const { status, body } = await service.api<{ data: { id: string } }>('POST', '/settings/models', given);
    assert.equal(status, 201, JSON.stringify(body));
    return body.data.id;
  };
  const [first, second] = [await addModel('first'), await addModel('second')];
  const chunking = { strategy: 'SENTENCE', size: 40, overlap: 0 };
  const base = await createKnowledgeBase(service, { embeddingModel: first, chunking });
  await base.add({ 'wheat.txt': textOf('wheat'), 'rye.txt': textOf('rye') });
  await base.settled();
  const asked = (): number => provider.requests.reduce((sum, { body }) => sum + (body.input?.length ?? 0), 0);
  assert.equal(asked(), 60);

  // Cutting the same sentences differently pays for none of them again.
  await change(service, base, { chunking: { strategy: 'PARAGRAPH', size: 40, overlap: 0 } });
  await until(service, base, ({ rebuild }) => rebuild === null);
  assert.equal(asked(), 60);

  await change(service, base, { embeddingModel: second });
  const waiting = await until(service, base, ({ rebuild }) => rebuild?.status === 'READY');
  assert.deepEqual(waiting.rebuild?.documents, { done: 1, total: 2, failed: 1 });
  assert.match(waiting.rebuild.cause ?? '', /: 1$/);
  type Runs = { data: { content: { failures: { reason: string; count: number }[]; counts: object }[] } };
  const { body: runs } = await service.api<Runs>('GET', '/runs?size=1');
  const counts = { in: 2, kept: 1, changed: 0, dropped: 0, failed: 1, emitted: 30 };
  assert.deepEqual(runs.data.content[0]?.counts, counts, 'documents, and the chunks that came of them');
  assert.equal(waiting.embeddingModel, first);
  type Listed = { data: { content: { name: string; rebuild: { status: string; cause: string } }[] } };
  const failed = await service.api<Listed>('GET', `${base.path}/documents?rebuild=FAILED`);
  assert.deepEqual(
    failed.body.data.content.map(({ name, rebuild }) => [name, rebuild.status]),
    [['rye.txt', 'FAILED']],
  );
  assert.match(failed.body.data.content[0]?.rebuild.cause ?? '', /no rye/);
  assert.equal((await base.search({ query: 'rye', mode: 'KEYWORD' }))[0]?.documentName, 'rye.txt');

  assert.equal((await service.api('POST', `${base.path}/rebuild/switch`)).status, 200);
  const documents = await base.settled();
  assert.deepEqual(Object.fromEntries(documents.map(({ name, status }) => [name, status])), {
    'wheat.txt': 'COMPLETED',
    'rye.txt': 'FAILED',
  });
  assert.match(documents.find(({ name }) => name === 'rye.txt')?.cause ?? '', /no rye/);
  assert.deepEqual(await base.search({ query: 'rye', mode: 'KEYWORD' }), []);
});

test('the text that was read and the file of a document', async () => {
  const service = await shared.open();
  const base = await createKnowledgeBase(service);
  const text = `𝄞${'ä土x'.repeat(50_000)}\n`;
  const [document] = await base.add({ 'a.txt': text, 'none.bin': new Uint8Array([0, 1, 2, 0]) });
  const [, none] = await base.settled().then((all) => all.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  const path = `${base.path}/documents/${document?.id}`;
  type Text = { data: { text: string; start: number; end: number; length: number; pages: object[] } };
  const points = [...text];
  for (const [query, start, end] of [
    ['', 0, 100_000],
    ['?start=21844&end=21850', 21_844, 21_850],
    ['?start=149999', 149_999, points.length],
    ['?start=999999', points.length, points.length],
  ] as const) {
    const { body } = await service.api<Text>('GET', `${path}/text${query}`);
    assert.deepEqual([body.data.start, body.data.end, body.data.length], [start, end, points.length], query);
    assert.ok(body.data.text === points.slice(start, end).join(''), query);
  }
  assert.equal((await service.api('GET', `${path}/text?start=0&end=100001`)).status, 400);
  assert.equal((await service.api('GET', `${path}/text?start=5&end=4`)).status, 400);
  assert.equal((await service.api('GET', `${base.path}/documents/${none?.id}/text`)).status, 409);
  const headers = { authorization: `Bearer ${service.token}` };
  const content = await fetch(`${service.url}/api/v1${path}/content`, { headers });
  assert.equal(content.headers.get('content-disposition')?.startsWith('attachment'), true);
  assert.equal(await content.text(), text);
});
