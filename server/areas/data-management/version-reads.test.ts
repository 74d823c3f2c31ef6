import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { startApp } from '../../../tests/support/server.ts';

type Document = { paths: Record<string, Record<string, { parameters?: { name: string }[] }>> };

/** Routes that read no content, or are about versions themselves. */
const others = [
  '',
  '/versions',
  '/diff',
  '/diff/rows',
  '/purges',
  '/files/upload/{reqId}',
  '/files/upload/{reqId}/events',
];
const queries = ['/query', '/query/export'];

test('each endpoint that reads content reads that of a version, and says when there is none', async (t) => {
  const { url, token, api } = await startApp(t);
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'd', type: 'TEXT' });
  const base = '/data-management/datasets/{datasetId}';
  const upload = async (content: string): Promise<string> => {
    const form = new FormData();
    form.append('files', new Blob([content]), 'a.jsonl');
    const { body } = await api<{ id: string }[]>(
      'POST',
      base.replace('{datasetId}', dataset.id) + '/files/upload',
      form,
    );
    return body[0]?.id ?? '';
  };
  await upload('{"n":1,"text":"one"}\n');
  const fileId = await upload('{"n":1,"text":"two"}\n{"n":2,"text":"three"}\n');

  const read = async (method: string, path: string, version?: string) => {
    const filled = path.replace('{datasetId}', dataset.id).replace('{fileId}', fileId);
    const address = `${url}/api/v1${filled}${version === undefined ? '' : `?version=${version}`}`;
    const body = method === 'GET' ? null : JSON.stringify({ sql: 'select * from a', format: 'CSV' });
    for (;;) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(address, { method, headers, body });
      // The index of the table is being built.
      if (answer.status !== 503) return { status: answer.status, text: await answer.text() };
      await answer.text();
      await setTimeout(50);
    }
  };
  const { body: document } = await api<Document>('GET', '/openapi.json');
  const paths = Object.entries(document.paths).map(
    ([path, methods]) => [path.replace('/api/v1', ''), methods] as const,
  );
  const reads = paths.flatMap(([path, methods]) =>
    path.startsWith(base) && 'get' in methods && !others.includes(path.slice(base.length))
      ? [['GET', path, methods['get']] as const]
      : [],
  );
  const asked = paths.flatMap(([path, methods]) =>
    queries.includes(path.slice(base.length)) ? [['POST', path, methods['post']] as const] : [],
  );
  assert.ok(reads.length >= 14 && asked.length === queries.length, JSON.stringify(paths.map(([path]) => path)));
  for (const [method, path, operation] of [...reads, ...asked]) {
    assert.ok(
      operation?.parameters?.some(({ name }) => name === 'version'),
      `${path} takes a version`,
    );
    const [old, current, now] = [
      await read(method, path, '2'),
      await read(method, path, '3'),
      await read(method, path),
    ];
    assert.deepEqual([old.status, current.status, now.status], [200, 200, 200], `${path}: ${old.text} ${now.text}`);
    assert.notEqual(old.text, current.text, `${path} shows what the version had`);
    const unknown = await read(method, path, '99');
    assert.deepEqual(
      [unknown.status, (JSON.parse(unknown.text) as { error: string }).error],
      [404, 'VERSION_NOT_FOUND'],
      path,
    );
    for (const wrong of ['0', '1.5', 'two', '99999999999999999999', '']) {
      const refused = await read(method, path, wrong);
      assert.equal(refused.status, 400, `${path}?version=${wrong}: ${refused.text}`);
      assert.match((JSON.parse(refused.text) as { message: string }).message, /version/, path);
    }
  }
});
