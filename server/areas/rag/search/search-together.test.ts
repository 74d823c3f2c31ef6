import assert from 'node:assert/strict';
import { createKnowledgeBase, type TestHit } from '../../../../tests/support/knowledge-bases.ts';
import { sharedApp } from '../../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

shared.forAnyDatabase('several knowledge bases are searched as one', async (_t, service) => {
  const soil = await createKnowledgeBase(service, { name: 'Soil' });
  const birds = await createKnowledgeBase(service, { name: 'Birds' });
  const empty = await createKnowledgeBase(service, { name: 'Empty' });
  await soil.add({
    'harrow.txt': 'A disc harrow cuts the roots of weeds.',
    'plough.txt': 'A plough turns the soil over; no harrow does.',
    'clay.txt': 'Clay holds water.',
  });
  await birds.add({ 'lark.txt': 'The lark sings above the field.', 'owl.txt': 'An owl hunts at night.' });
  await Promise.all([soil.settled(), birds.settled()]);

  type Hit = TestHit & { knowledgeBaseId: string };
  const search = async (request: object): Promise<Hit[]> => {
    const knowledgeBaseIds = [soil.id, birds.id, empty.id, soil.id];
    const { status, body } = await service.api<{ data: { hits: Hit[]; behind: number } }>('POST', '/rag/search', {
      knowledgeBaseIds,
      ...request,
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.hits;
  };
  const names = (hits: readonly Hit[]): string[] => hits.map(({ documentName }) => documentName);

  for (const mode of ['HYBRID', 'VECTOR', 'KEYWORD']) {
    const [first] = await search({ query: 'disc harrow', mode });
    assert.deepEqual([first?.documentName, first?.knowledgeBaseId], ['harrow.txt', soil.id], mode);
    assert.equal((await search({ query: 'owl night', mode }))[0]?.knowledgeBaseId, birds.id, mode);
    assert.equal((await search({ query: 'harrow owl', mode, topK: 2 })).length, 2, mode);
  }
  assert.deepEqual(names(await search({ query: 'harrow', mode: 'KEYWORD' })).sort(), ['harrow.txt', 'plough.txt']);

  const hits = await search({ query: 'disc harrow of the field' });
  assert.equal(new Set(hits.map(({ chunkId, knowledgeBaseId }) => `${knowledgeBaseId} ${chunkId}`)).size, hits.length);
  assert.deepEqual(
    hits.map(({ score }) => score),
    hits.map(({ score }) => score).toSorted((one, other) => other - one),
  );
  const byVector = hits.flatMap(({ ranks, scores }) =>
    ranks.vector === null ? [] : [{ ...scores, rank: ranks.vector }],
  );
  byVector.sort((one, other) => one.rank - other.rank);
  assert.deepEqual(
    byVector.map(({ rank }) => rank),
    byVector.map((_, at) => at + 1),
    'ranks count the hits of all bases',
  );
  const limit = hits[1]?.score ?? 1;
  assert.equal((await search({ query: 'disc harrow of the field', minScore: limit })).length, 2);

  const wrong = await service.api<{ errorCode: string }>('POST', '/rag/search', {
    knowledgeBaseIds: [soil.id, 'none'],
    query: 'x',
  });
  assert.deepEqual([wrong.status, wrong.body.errorCode], [404, 'KNOWLEDGE_BASE_NOT_FOUND']);
  assert.equal((await service.api('POST', '/rag/search', { knowledgeBaseIds: [], query: 'x' })).status, 400);
});
