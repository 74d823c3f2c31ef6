import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../../../tests/support/server.ts';
import { operators } from '../../operators/index.ts';

type Operator = {
  id: string;
  paramsSchema: { properties: object };
  installed: boolean;
  digest: string;
  readme: string;
  thresholds: object[];
  wholeSet: boolean;
  examples: object[];
  setExamples: { inputs: string[]; outputs: { text: string | null; dropped: string | null }[] }[];
  usageCount: number;
};
type Page = { data: { content: Operator[]; totalElements: number } };

test('operators are listed, filtered and shown', async (t) => {
  const { api } = await startApp(t);
  const ids = async (query = ''): Promise<string[]> => {
    const { status, body } = await api<Page>('GET', `/operator-market/operators${query}`);
    assert.equal(status, 200);
    return body.data.content.map(({ id }) => id);
  };
  const sorted = operators.map(({ id }) => id).sort((one, other) => (one < other ? -1 : 1));
  assert.deepEqual((await ids('?size=100')).sort(), sorted.toSorted());
  assert.deepEqual(await ids('?sort=id,asc&size=1&page=1'), sorted.slice(1, 2));
  assert.deepEqual(await ids('?sort=id,desc&size=2'), sorted.slice(-2).reverse());
  const of = (holds: (operator: (typeof operators)[number]) => boolean): string[] =>
    operators.filter(holds).map(({ id }) => id);
  assert.deepEqual((await ids('?kind=FILTER&size=100')).sort(), of(({ kind }) => kind === 'FILTER').sort());
  assert.deepEqual((await ids('?kind=DEDUPLICATOR')).sort(), ['exact-deduplicator', 'minhash-deduplicator']);
  assert.deepEqual((await ids('?modality=TEXT&source=BUILT_IN&installed=true&size=100')).length, sorted.length);
  assert.deepEqual(await ids('?modality=IMAGE'), []);
  assert.deepEqual(await ids('?category=whitespace'), ['whitespace-normalizer']);
  assert.deepEqual(await ids('?keyword=CONTROL-char'), ['control-character-remover']);
  assert.deepEqual(await ids('?installed=false'), []);
  assert.deepEqual(await ids('?source=PUBLISHED'), []);
  assert.equal((await api('GET', '/operator-market/operators?kind=NONE')).status, 400);

  const { body } = await api<{ data: Operator }>('GET', '/operator-market/operators/text-length-filter');
  assert.deepEqual(Object.keys(body.data.paramsSchema.properties), ['min', 'max', 'unit']);
  assert.ok(body.data.installed && body.data.examples.length > 0);
  assert.match(body.data.digest, /^[0-9a-f]{64}$/);
  assert.equal((await api('GET', '/operator-market/operators/none')).status, 404);

  assert.deepEqual(body.data.thresholds, [
    { param: 'min', direction: 'min' },
    { param: 'max', direction: 'max' },
  ]);
  assert.match(body.data.readme, /^# Filter by text length\n/);
  assert.ok(body.data.readme.includes('| `min` | integer, 0 to 1000000000 | `1` |'));
  const set = (await api<{ data: Operator }>('GET', '/operator-market/operators/exact-deduplicator')).body.data;
  assert.ok(set.wholeSet && !body.data.wholeSet);
  for (const { inputs, outputs } of set.setExamples) assert.equal(inputs.length, outputs.length);
  assert.ok(set.setExamples.flatMap(({ outputs }) => outputs).some(({ dropped }) => dropped !== null));
});

test('the tasks that use an operator are counted', async (t) => {
  const { api } = await startApp(t);
  const { body } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'Raw', type: 'TEXT' });
  const steps = [{ operatorId: 'whitespace-normalizer' }, { operatorId: 'whitespace-normalizer' }];
  for (const name of ['one', 'two']) {
    assert.equal((await api('POST', '/data-cleaning/tasks', { name, sourceDatasetId: body.id, steps })).status, 201);
  }
  const page = await api<Page>('GET', '/operator-market/operators?size=100');
  for (const { id, usageCount } of page.body.data.content)
    assert.equal(usageCount, id === 'whitespace-normalizer' ? 2 : 0, id);
});
