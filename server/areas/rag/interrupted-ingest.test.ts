// Documents whose service stops or is killed are processed by the next one, each once.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createKnowledgeBase, type TestDocument, type TestHit } from '../../../tests/support/knowledge-bases.ts';
import { longTests } from '../../../tests/support/long-tests.ts';
import { startApp, startProcess } from '../../../tests/support/server.ts';

const names = (hits: readonly TestHit[]): string[] => hits.map(({ documentName }) => documentName);

test('documents that wait when the service stops are processed by the next one, each once', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tilth-rag-'));
  const first = await startApp(t, { dataDir });
  const base = await createKnowledgeBase(first, { chunking: { size: 60, overlap: 0 } });
  const text = Array.from({ length: 150 }, (_, index) => `Sentence ${index} speaks of field ${index}.`).join(' ');
  await base.add({ 'a.txt': text, 'b.txt': text });
  await first.close();
  const { api } = await startApp(t, { dataDir });
  // Registered so that it runs after the service, which writes its index until it has stopped.
  t.after(() => rm(dataDir, { recursive: true }));
  type Listed = { data: { content: TestDocument[] } };
  const list = async () => (await api<Listed>('GET', `${base.path}/documents?size=1000`)).body.data.content;
  let documents = await list();
  while (documents.some(({ status }) => status === 'PENDING' || status === 'PROCESSING')) documents = await list();
  const [one, other] = documents;
  assert.deepEqual([one?.status, other?.status, one?.chunkCount], ['COMPLETED', 'COMPLETED', other?.chunkCount]);
  assert.ok((one?.chunkCount ?? 0) >= 145, `${one?.chunkCount} chunks`);
  const asked = { query: 'field 149', mode: 'KEYWORD', topK: 4 };
  const { body } = await api<{ data: { hits: TestHit[] } }>('POST', `${base.path}/search`, asked);
  const found = body.data.hits.filter(({ text: hit }) => /field 149\b/.test(hit));
  assert.deepEqual(names(found).toSorted(), ['a.txt', 'b.txt']);
});

longTests(() => {
  test('a kill loses no chunk and doubles none, and an index that was lost is made again', async (t) => {
    const service = await startProcess(t);
    const base = await createKnowledgeBase(service, { chunking: { size: 60, overlap: 0 } });
    const text = Array.from({ length: 1200 }, (_, index) => `Sentence ${index} speaks of field ${index}.`).join(' ');
    await base.add({ 'a.txt': text, 'b.txt': text });
    for (let kills = 0; kills < 2; kills += 1) await service.restart();
    const documents = await base.settled();
    assert.deepEqual(
      documents.map(({ status, chunkCount }) => [status, chunkCount]),
      [
        ['COMPLETED', 1195],
        ['COMPLETED', 1195],
      ],
    );
    const hits = await base.search({ query: 'field 789', mode: 'KEYWORD', topK: 2 });
    assert.deepEqual(new Set(names(hits)), new Set(['a.txt', 'b.txt']));
    await service.kill();
    rmSync(join(service.dataDir, 'vectors'), { recursive: true });
    await service.restart();
    for (;;) {
      const found = await base.search({ query: 'field 1199', mode: 'KEYWORD', topK: 2 });
      if (found.length === 2 && found.every((hit) => /field 1199/.test(hit.text))) break;
    }
  });
});
