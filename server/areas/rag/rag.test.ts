import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { docxOf, xlsxOf } from '../../../tests/support/document-files.ts';
import { pdfOf } from '../../../tests/support/pdf-files.ts';
import { createKnowledgeBase, soil, type TestHit } from '../../../tests/support/knowledge-bases.ts';
import { startApp } from '../../../tests/support/server.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

const chinese =
  '# 土壤\n\n土壤是农业的基础。有机质能够提高保水能力。\n\n## 圆盘耙\n\n春天播种之前，农民使用圆盘耙疏松土壤表层。\n';
const names = (hits: readonly TestHit[]): string[] => hits.map(({ documentName }) => documentName);

shared.forAnyDatabase(
  'a hit in a chunk of several short pages is shown on the page of its words',
  async (_t, service) => {
    const base = await createKnowledgeBase(service);
    const totals = ['12.00', '8.50', '99.90', '317.50'];
    await base.add({ 'invoices.pdf': pdfOf(totals.map((total, at) => [`Invoice ${at + 1}`, `Total ${total}`])) });
    await base.settled();
    const [hit] = await base.search({ query: '317.50', mode: 'KEYWORD' });
    assert.deepEqual([hit?.page, hit?.pages], [4, [1, 2, 3, 4]]);
    const [third] = await base.search({ query: 'invoice total 99.90' });
    assert.equal(third?.page, 3);
  },
);

shared.forAnyDatabase('documents become searchable, each ends in a state with its receipt', async (_t, service) => {
  const base = await createKnowledgeBase(service, { chunking: { size: 90, overlap: 0 } });
  assert.deepEqual(await base.search({ query: 'soil' }), [], 'an empty knowledge base has no hits');
  await base.add(
    {
      'soil.md': soil,
      'chinese.txt': chinese,
      'harrow.docx': docxOf(['The plough turns the furrow slice.']),
      'two.pdf': pdfOf([['Wheat is sown in autumn.'], []]),
      'broken.pdf': '%PDF-1.7 nothing',
      'bytes.bin': new Uint8Array([0, 1, 2, 3, 0, 255]),
      'empty.txt': '  \n',
      'stores.xlsx': xlsxOf({ Barley: [['bins', 3]], Empty: [] }),
      'field.png': Buffer.from('89504e470d0a1a0a0000000d', 'hex'),
    },
    { tags: '["farm"]', metadata: '{"lang":"en"}' },
  );
  const documents = await base.settled();
  const states = Object.fromEntries(documents.map(({ name, status, receipt }) => [name, [status, receipt?.pagesOut]]));
  assert.deepEqual(states, {
    'soil.md': ['COMPLETED', null],
    'chinese.txt': ['COMPLETED', null],
    'harrow.docx': ['COMPLETED', null],
    'two.pdf': ['PARTIAL', 1],
    'broken.pdf': ['FAILED', null],
    'bytes.bin': ['FAILED', null],
    'empty.txt': ['FAILED', null],
    'stores.xlsx': ['COMPLETED', 1],
    'field.png': ['FAILED', null],
  });
  for (const { name, status, cause, receipt } of documents) {
    assert.equal(cause !== null && cause !== '', status === 'FAILED', name);
    assert.equal(receipt?.pageKind, { 'two.pdf': 'page', 'stores.xlsx': 'sheet' }[name] ?? null, name);
    if (name === 'field.png') assert.equal(cause, 'it is a picture, and text in pictures is not read');
    assert.equal(receipt?.chunks === 0, status === 'FAILED', name);
  }

  const [hit] = await base.search({ query: 'disc harrow' });
  assert.equal(hit?.documentName, 'soil.md');
  assert.deepEqual(hit.headings, ['Soil']);
  const points = [...hit.text];
  assert.deepEqual(
    hit.highlights.map(({ start, end }) => points.slice(start, end).join('')),
    ['disc', 'harrow'],
  );
  assert.equal([...soil].slice(hit.start, hit.end).join(''), hit.text);
  assert.equal(hit.score, 1, 'the first of both lists');
  const [found] = await base.search({ query: '圆盘耙', mode: 'KEYWORD' });
  assert.equal(found?.documentName, 'chinese.txt');
  assert.match(found.text, /圆盘耙疏松/);
  assert.equal((await base.search({ query: 'wheat in autumn', mode: 'VECTOR' }))[0]?.page, 1);

  // The score of each mode matches its description.
  const near = await base.search({ query: 'wheat', mode: 'VECTOR' });
  for (const { score, scores } of near) assert.equal(score, Math.max(0, scores.vector ?? Number.NaN));
  const words = await base.search({ query: 'wheat soil', mode: 'KEYWORD' });
  for (const { score, scores } of words) assert.equal(score, (scores.keyword ?? 0) / ((scores.keyword ?? 0) + 5));
  const part = (rank: number | null): number => (rank === null ? 0 : 61 / (60 + rank));
  for (const { score, ranks } of await base.search({ query: 'soil of wheat' }))
    assert.ok(Math.abs(score - (part(ranks.vector) + 3 * part(ranks.keyword)) / 4) < 1e-9, 'ranks explain the score');
  for (const mode of ['VECTOR', 'KEYWORD', 'HYBRID']) {
    const request = { query: 'soil of wheat', mode };
    let [all, again, above]: TestHit[][] = [[], [], []];
    let middle = 0;
    // Word weights change while the newest rows are merged with the others.
    do {
      all = await base.search(request);
      middle = all[Math.floor(all.length / 2)]?.score ?? 0;
      above = await base.search({ ...request, minScore: middle });
      again = await base.search(request);
    } while (!isDeepStrictEqual(all, again));
    assert.deepEqual(
      above,
      all.filter(({ score }) => score >= middle),
      mode,
    );
    assert.ok(all.every(({ score }) => score >= 0 && score <= 1));
  }
  const [expanded] = await base.search({ query: 'irrigation', expand: 1 });
  assert.match(expanded?.neighbours?.[0]?.text ?? '', /disc harrow/);

  const search = (filter: object): Promise<TestHit[]> => base.search({ query: 'soil 土壤 plough wheat', filter });
  assert.deepEqual(new Set(names(await search({ fileTypes: ['md', 'PDF'] }))), new Set(['soil.md', 'two.pdf']));
  assert.deepEqual(await search({ tags: ["farm' or '1'='1"] }), []);
  assert.equal(new Set(names(await search({ tags: ['farm'], metadata: { lang: 'en' } }))).size, 5);
  assert.deepEqual(await search({ metadata: { lang: 'de' } }), []);
  assert.deepEqual(await search({ createdBefore: '2020-01-01T00:00:00.000Z' }), []);
  const harrow = documents.find(({ name }) => name === 'harrow.docx');
  assert.deepEqual(names(await search({ documentIds: [harrow?.id] })), ['harrow.docx']);
});

test('the main content of HTML is searchable, or the whole page', async (t) => {
  const page = '<nav><a href="/">Tractors</a></nav><main><h1>Harrows</h1><p>They loosen the soil.</p></main>';
  for (const [settings, warnings, hits] of [
    [{}, ['1 menu left out: 8 characters'], 0],
    [{ TILTH_RAG_HTML: 'WHOLE' }, [], 1],
  ] as const) {
    const service = await startApp(t, { settings });
    const base = await createKnowledgeBase(service);
    await base.add({ 'page.html': page });
    const [document] = await base.settled();
    assert.deepEqual([document?.status, document?.receipt?.warnings], ['COMPLETED', warnings]);
    assert.equal((await base.search({ query: 'tractors', mode: 'KEYWORD' })).length, hits);
    assert.equal((await base.search({ query: 'loosen', mode: 'KEYWORD' })).length, 1);
  }
});

test('names, tags and metadata that no search could ask for are refused', async () => {
  const service = await shared.open();
  const base = await createKnowledgeBase(service);
  const upload = async (name: string, fields: Readonly<Record<string, string>> = {}): Promise<number> => {
    const boundary = 'b0undary';
    const field = ([key, value]: [string, string]): string =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`;
    const file = `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="${name}"\r\n\r\nsoil\r\n--${boundary}--\r\n`;
    const body = new TextEncoder().encode(Object.entries(fields).map(field).join('') + file);
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    return (await service.api('POST', `${base.path}/documents`, body, headers)).status;
  };
  for (const name of [
    'n\0ul.txt',
    '..',
    '.',
    'a%0d%0ab.txt',
    'x'.repeat(256),
    '../a.md',
    '/a.md',
    'a\\b.md',
    'a//b.md',
  ])
    assert.equal(await upload(name), 400, name);
  for (const metadata of [
    '{"a":"x\\u0000"}',
    '{"a\\u0000":"x"}',
    '{"a":"\\ud800"}',
    '{"__proto__":"x"}',
    '{"a":1}',
    '[',
  ])
    assert.equal(await upload('a.txt', { metadata }), 400, metadata);
  assert.equal(await upload('a.txt', { tags: '["\\u0000"]' }), 400);
  assert.equal(await upload('folder/a.txt', { tags: '["t"]', metadata: '{"a":"x"}' }), 201);
  assert.deepEqual(
    (await base.settled()).map(({ name }) => name),
    ['folder/a.txt'],
    'a relative path is kept, as that of a file in a dataset',
  );
  const filter = new TextEncoder().encode('{"query":"soil","filter":{"metadata":{"__proto__":"x"}}}');
  const asked = await service.api('POST', `${base.path}/search`, filter, { 'content-type': 'application/json' });
  assert.equal(asked.status, 400);
});

test('a deleted document is in no search as soon as the call has answered', async () => {
  const service = await shared.open();
  const base = await createKnowledgeBase(service);
  const [kept, gone] = await base.add({ 'a.txt': 'Soil is kept.', 'b.txt': 'Soil goes away.' });
  await base.settled();
  assert.equal((await base.search({ query: 'soil' })).length, 2);
  assert.equal((await service.api('DELETE', `${base.path}/documents/${gone?.id}`)).status, 204);
  for (const mode of ['VECTOR', 'KEYWORD', 'HYBRID'])
    assert.deepEqual(
      (await base.search({ query: 'soil goes', mode })).map(({ documentId }) => documentId),
      [kept?.id],
    );
  assert.equal((await service.api('GET', `${base.path}/documents/${gone?.id}`)).status, 404);
  assert.equal((await service.api('DELETE', base.path)).status, 204);
  assert.equal((await service.api('GET', base.path)).status, 404);
});

test('files of a dataset become documents, and a failed one is tried again', async () => {
  const service = await shared.open();
  const { body: dataset } = await service.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Manuals',
    type: 'TEXT',
  });
  const form = new FormData();
  form.set('files', new Blob(['Soil of a dataset.']), 'notes/a.txt');
  form.append('files', new Blob(['\0\u0001\0']), 'b.bin');
  assert.equal((await service.api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form)).status, 201);
  const base = await createKnowledgeBase(service);
  const added = await service.api('POST', `${base.path}/documents`, { datasetId: dataset.id, tags: ['x'] });
  assert.equal(added.status, 201, JSON.stringify(added.body));
  const documents = await base.settled();
  assert.deepEqual(Object.fromEntries(documents.map(({ name, status }) => [name, status])), {
    'b.bin': 'FAILED',
    'notes/a.txt': 'COMPLETED',
  });
  assert.deepEqual(names(await base.search({ query: 'soil', filter: { datasetIds: [dataset.id] } })), ['notes/a.txt']);
  for (const { id, status } of documents) {
    const again = await service.api('POST', `${base.path}/documents/${id}/retry`);
    assert.equal(again.status, 200);
    const settled = (await base.settled()).find((one) => one.id === id);
    assert.equal(settled?.status, status);
  }
  assert.equal((await base.search({ query: 'soil' })).length, 1, 'processed twice, found once');
  const missing = { datasetId: dataset.id, fileIds: ['no-such-file'] };
  assert.equal((await service.api('POST', `${base.path}/documents`, missing)).status, 404);
});

test('chunks are listed and previewed, and wrong settings are refused', async () => {
  const service = await shared.open();
  const base = await createKnowledgeBase(service, { chunking: { strategy: 'MARKDOWN', size: 100 } });
  const [document, listing] = await base.add({ 'soil.md': soil, 'listing.txt': '# ls\n\nAlpha.\n\n# cd\n\nBeta.\n' });
  const settled = await base.settled();
  const [listed] = settled.filter(({ id }) => id === listing?.id);
  assert.equal(listed?.receipt?.chunks, 1, 'a line with # is no heading in a text that is not named as Markdown');
  type Chunks = { data: { content: { text: string; start: number; end: number; headings: string[] }[] } };
  const { body } = await service.api<Chunks>('GET', `${base.path}/documents/${document?.id}/chunks`);
  assert.deepEqual(
    body.data.content.map(({ headings }) => headings),
    [[], ['Soil']],
  );
  for (const { text, start, end } of body.data.content) assert.equal([...soil].slice(start, end).join(''), text);
  type Preview = { data: { chunks: { text: string }[]; totalChunks: number } };
  const preview = (given: object) =>
    service.api<Preview & { message: string }>('POST', `${base.path}/chunking/preview`, given);
  const cut = await preview({ documentId: document?.id, chunking: { strategy: 'SENTENCE', size: 60 } });
  assert.equal(cut.body.data.totalChunks, 3);
  assert.equal((await preview({ documentId: listing?.id, chunking: {} })).body.data.totalChunks, 1);
  assert.equal((await preview({ text: 'a b', chunking: { size: 1, overlap: 0 } })).body.data.totalChunks, 2);
  for (const chunking of [
    { size: 10, overlap: 10 },
    { strategy: 'CUSTOM_SEPARATOR' },
    { size: 0 },
    { strategy: 'NONE' },
  ]) {
    assert.equal((await preview({ text: 'a', chunking })).status, 400, JSON.stringify(chunking));
    assert.equal((await service.api('POST', '/rag/knowledge-bases', { name: 'x', chunking })).status, 400);
  }
  const repeated = { text: 'a'.repeat(40_000), chunking: { strategy: 'FIXED', size: 5000, overlap: 4999 } };
  const { status, body: refused } = await preview(repeated);
  assert.deepEqual([status, /chunking\.overlap .*more than 16 times/.test(JSON.stringify(refused))], [400, true]);
  assert.equal((await service.api('PUT', base.path, { name: 'Renamed' })).status, 200);
  assert.equal((await service.api('POST', '/rag/knowledge-bases', { name: ' Renamed\n' })).status, 409);
  assert.equal((await service.api('POST', '/rag/knowledge-bases', { name: '\u3000' })).status, 400);
  const other = await createKnowledgeBase(service);
  assert.equal((await service.api('PUT', other.path, { name: ' Renamed ' })).status, 409);
  const named = await service.api<{ data: { name: string } }>('PUT', other.path, { name: '\tOther ' });
  assert.equal(named.body.data.name, 'Other');
  const wrongModel = { name: 'y', embeddingModel: 'builtin:cloze' };
  assert.equal((await service.api('POST', '/rag/knowledge-bases', wrongModel)).status, 409);
});
