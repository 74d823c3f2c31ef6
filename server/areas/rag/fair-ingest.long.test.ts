import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { createKnowledgeBase } from '../../../tests/support/knowledge-bases.ts';
import { startApp } from '../../../tests/support/server.ts';

const many = 600;

forAnyDatabase('a document does not wait for hundreds of another knowledge base', async (t, _open, database) => {
  const service = await startApp(t, { database });
  const [large, small] = [await createKnowledgeBase(service), await createKnowledgeBase(service)];
  const texts = Array.from({ length: many }, (_, at) => [`${at}.txt`, `Field ${at} was tilled.`] as const);
  await large.add(Object.fromEntries(texts));
  await small.add({ 'late.txt': 'The last field was tilled.' });
  const [late] = await small.settled();
  const ends = (await large.settled()).map(({ finishedAt }) => finishedAt ?? '');
  const own = late?.finishedAt ?? '';
  assert.notEqual(own, '');
  const after = ends.filter((end) => end > own).length;
  assert.ok(after > many / 4, `${after} of ${many} ended after it`);
});
