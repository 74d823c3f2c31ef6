import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../../../tests/support/server.ts';

type Operator = {
  id: string;
  paramsSchema: { properties: object };
  installed: boolean;
  digest: string;
  examples: object[];
};
type Page = { data: { content: Operator[]; totalElements: number } };

test('operators are listed, filtered and shown', async (t) => {
  const { api } = await startApp(t);
  const ids = async (query = ''): Promise<string[]> => {
    const { status, body } = await api<Page>('GET', `/operator-market/operators${query}`);
    assert.equal(status, 200);
    return body.data.content.map(({ id }) => id);
  };
  assert.deepEqual(await ids(), ['text-length-filter', 'whitespace-normalizer', 'control-character-remover']);
  assert.deepEqual(await ids('?sort=id,asc&size=1&page=1'), ['text-length-filter']);
  assert.deepEqual(await ids('?kind=FILTER'), ['text-length-filter']);
  assert.deepEqual(await ids('?category=whitespace'), ['whitespace-normalizer']);
  assert.deepEqual(await ids('?keyword=CONTROL'), ['control-character-remover']);
  assert.deepEqual(await ids('?installed=false'), []);
  assert.deepEqual(await ids('?source=PUBLISHED'), []);
  assert.equal((await api('GET', '/operator-market/operators?kind=NONE')).status, 400);

  const { body } = await api<{ data: Operator }>('GET', '/operator-market/operators/text-length-filter');
  assert.deepEqual(Object.keys(body.data.paramsSchema.properties), ['min', 'max']);
  assert.ok(body.data.installed && body.data.examples.length > 0);
  assert.match(body.data.digest, /^[0-9a-f]{64}$/);
  assert.equal((await api('GET', '/operator-market/operators/none')).status, 404);
});
