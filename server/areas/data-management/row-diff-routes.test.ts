import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Api, ApiAnswer } from '../../../tests/support/api.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import type { RowDiff } from './schemas/row-diffs.ts';
import type { File } from './schemas/files.ts';

const shared = sharedApp(import.meta.url);

type Setting = Api & {
  at: string;
  /** Returns the version. */
  upload(path: string, content: string | Uint8Array): Promise<number>;
  diff<T = RowDiff>(query: Record<string, string | number>): Promise<ApiAnswer<T>>;
};

async function openSetting(): Promise<Setting> {
  const service = await shared.open();
  const named = { name: 'd', type: 'TEXT' };
  const { body: dataset } = await service.api<{ id: string }>('POST', '/data-management/datasets', named);
  const at = `/data-management/datasets/${dataset.id}`;
  // Otherwise the first index creates the folder.
  await mkdir(join(service.dataDir, 'views'), { recursive: true });
  return {
    ...service,
    at,
    async upload(path, content) {
      const form = new FormData();
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      form.append('files', new Blob([new Uint8Array(bytes)]), path);
      assert.equal((await service.api<File[]>('POST', `${at}/files/upload`, form)).status, 201);
      return (await service.api<{ version: number }>('GET', at)).body.version;
    },
    diff: (query) =>
      service.api(
        'GET',
        `${at}/diff/rows?${Object.entries(query)
          .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
          .join('&')}`,
      ),
  };
}

const shown = ({ content }: RowDiff): unknown[] =>
  content.map(({ change, before, after, changedColumns }) => [change, before?.values, after?.values, changedColumns]);

test('rows are compared by key columns, with cells, repeated keys and other columns told', async () => {
  const { upload, diff, dataDir } = await openSetting();
  const listChanges = async () => (await readdir(join(dataDir, 'views'))).filter((name) => name.endsWith('.changes'));
  const before = new Set(await listChanges());
  const from = await upload(
    'a.jsonl',
    [
      '{"id":1,"text":"same","n":1,"old":"x"}',
      '{"id":2,"text":"before","n":2}',
      'broken',
      '{"id":3,"text":"gone"}',
      '{"id":4,"text":"twice"}',
      '{"id":4,"text":"twice, the second"}',
      '{"id":null,"text":"no key"}',
      '{"id":7,"text":null,"n":0}',
    ].join('\n'),
  );
  const to = await upload(
    'a.jsonl',
    [
      '{"id":5,"text":"new"}',
      '{"id":2,"text":"after","n":2.0,"list":[1]}',
      '{"id":1,"text":"same","n":1.0}',
      '{"id":4,"text":"twice"}',
      '{"id":4,"text":"twice, another"}',
      '{"id":4,"text":"a third"}',
      '{"id":null,"text":"no key"}',
      '{"id":7,"n":0.5}',
    ].join('\n'),
  );
  const { status, body } = await diff({ from, to, path: 'a.jsonl', key: 'id' });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.summary, { added: 2, removed: 1, changed: 4, unchanged: 2 });
  assert.deepEqual([body.before.rows, body.before.unreadable, body.after.rows], [8, 1, 8]);
  assert.deepEqual(
    [body.repeatedBefore, body.repeatedAfter],
    [
      { keys: 1, rows: 2 },
      { keys: 1, rows: 3 },
    ],
  );
  assert.deepEqual(
    [body.columns.added.map(({ name }) => name), body.columns.removed.map(({ name }) => name), body.columns.retyped],
    [['list'], ['old'], [{ name: 'n', before: 'BIGINT', after: 'DOUBLE' }]],
  );
  assert.deepEqual(shown(body), [
    ['ADDED', undefined, { id: 5, text: 'new' }, []],
    ['CHANGED', { id: 2, text: 'before', n: 2 }, { id: 2, text: 'after', n: 2, list: [1] }, ['text', 'list']],
    ['CHANGED', { id: 1, text: 'same', n: 1, old: 'x' }, { id: 1, text: 'same', n: 1 }, ['old']],
    ['REMOVED', { id: 3, text: 'gone' }, undefined, []],
    ['CHANGED', { id: 4, text: 'twice, the second' }, { id: 4, text: 'twice, another' }, ['text']],
    ['ADDED', undefined, { id: 4, text: 'a third' }, []],
    ['CHANGED', { id: 7, text: null, n: 0 }, { id: 7, n: 0.5 }, ['n']],
  ]);
  assert.equal(body.content[3]?.before?.line, 4, 'the line in the file');
  const page = await diff({ from, to, path: 'a.jsonl', key: '["id"]', change: 'CHANGED', offset: 1, limit: 2 });
  assert.equal(page.body.total, 4);
  assert.deepEqual(
    page.body.content.map(({ before }) => before?.values?.['id']),
    [1, 4],
  );
  const back = await diff({ from: to, to: from, path: 'a.jsonl', key: 'id' });
  assert.deepEqual(back.body.summary, { added: 1, removed: 2, changed: 4, unchanged: 2 });
  const both = await diff({ from, to, path: 'a.jsonl', key: '["id","text"]' });
  assert.deepEqual(both.body.summary, { added: 4, removed: 3, changed: 2, unchanged: 2 });
  const made = (await listChanges()).filter((name) => !before.has(name));
  assert.equal(made.length, 3, 'each comparison is made once');
});

test('rows are compared by content, each as often as it stands, whatever the formats', async () => {
  const { upload, diff, api, at, dataDir } = await openSetting();
  const before = new Set(await readdir(join(dataDir, 'views')));
  const listNew = async () => (await readdir(join(dataDir, 'views'))).filter((name) => !before.has(name));
  const from = await upload('a.csv', 'id,text\n1,one\n2,two\n2,two\n3,"a\nb"\n');
  await upload('a.csv', 'id;text\n2;two\n1;one\n3;"a\nb"\n4;四\n');
  const to = await upload(
    'b.jsonl',
    '{"id":"2","text":"two"}\n{"text":"one","id":1}\n{"id":3,"text":"a\\nb"}\n{"id":4,"text":"四"}',
  );
  const { body } = await diff({ from, path: 'a.csv' });
  assert.deepEqual(body.summary, { added: 1, removed: 1, changed: 0, unchanged: 3 });
  assert.deepEqual([body.key, body.repeatedBefore], [[], null]);
  assert.deepEqual(shown(body), [
    ['REMOVED', { id: '2', text: 'two' }, undefined, []],
    ['ADDED', undefined, { id: '4', text: '四' }, []],
  ]);
  const moved = await diff({ from, to, path: 'b.jsonl', fromPath: 'a.csv', key: 'text' });
  assert.equal(moved.status, 200, JSON.stringify(moved.body));
  assert.deepEqual([moved.body.summary.added, moved.body.summary.removed], [1, 1]);
  const same = await diff({ from: to, to, path: 'b.jsonl' });
  assert.deepEqual(same.body.summary, { added: 0, removed: 0, changed: 0, unchanged: 4 });

  type Failure = { error: string; message: string };
  for (const [query, error] of [
    [{ from, path: 'c.csv' }, 'FILE_NOT_IN_VERSION'],
    [{ from: 99, path: 'a.csv' }, 'VERSION_NOT_FOUND'],
    [{ from, path: 'a.csv', key: 'nothing' }, 'INVALID_PARAMETER'],
    [{ from, path: 'a.csv', key: '[1]' }, 'INVALID_PARAMETER'],
    [{ from, path: '../a.csv' }, 'INVALID_PARAMETER'],
    [{ from, path: 'a.csv', change: 'MOVED' }, 'INVALID_PARAMETER'],
  ] as const)
    assert.equal((await diff<Failure>(query)).body.error, error, JSON.stringify(query));
  const listed = await api<{ content: File[] }>('GET', `${at}/files`);
  for (const { id } of listed.body.content) await api('DELETE', `${at}/files/${id}?purge=true`);
  for (let left = 100; (await listNew()).length > 0; left -= 1) {
    assert.ok(left > 0, 'a comparison stays without its file');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

test('a number and the text of its digits differ, also in a column that holds both', async () => {
  const { upload, diff } = await openSetting();
  const from = await upload('a.jsonl', '{"id":1,"text":10}\n{"id":2,"text":"two"}\n{"id":3,"text":3}');
  const to = await upload('a.jsonl', '{"id":1,"text":"10"}\n{"id":2,"text":"two"}\n{"id":3,"text":3}');
  const { body } = await diff({ path: 'a.jsonl', from, to, key: 'id' });
  assert.deepEqual(shown(body), [['CHANGED', { id: 1, text: 10 }, { id: 1, text: '10' }, ['text']]]);
});
