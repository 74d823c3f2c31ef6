import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../../../tests/support/server.ts';
import { commitOf } from './hub/hub-names.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

type Entry = { type: string; path: string; size: number };

shared.forAnyDatabase(
  'the addresses of the Hub name datasets and revisions, and list trees in pages',
  async (_t, { url, api, token }) => {
    type Reply<T> = { status: number; headers: Headers; body: T };
    const call = async <T>(path: string, init: RequestInit = {}): Promise<Reply<T>> => {
      const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
      const answer = await fetch(url + path, { ...init, headers });
      const text = await answer.text();
      return {
        status: answer.status,
        headers: answer.headers,
        body: (text.startsWith('[') || text.startsWith('{') ? JSON.parse(text) : text) as T,
      };
    };
    const make = async (name: string): Promise<string> =>
      (await api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'TEXT' })).body.id;
    const id = await make('Corpus');
    const form = new FormData();
    const paths = ['a/1.txt', 'a/2.txt', 'a/b/3.txt', 'a-z.txt', 'z/y/x.txt', 'zz.txt'];
    for (const path of paths) form.append('files', new Blob([path]), path);
    await api('POST', `/data-management/datasets/${id}/files/upload`, form);
    await api('POST', `/data-management/datasets/${id}/versions`, { name: 'release 1' });

    const all = async (query: string, folder = ''): Promise<string[]> => {
      const found: string[] = [];
      for (let at: string | undefined = `/api/datasets/${id}/tree/main${folder}?limit=2${query}`; at !== undefined;) {
        const page: { status: number; headers: Headers; body: Entry[] } = await call<Entry[]>(at);
        assert.equal(page.status, 200, JSON.stringify(page.body));
        found.push(...page.body.map((entry) => (entry.type === 'directory' ? `${entry.path}/` : entry.path)));
        const next: string | undefined = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
        at = next === undefined ? undefined : next.slice(url.length);
      }
      return found;
    };
    assert.deepEqual(await all(''), ['a-z.txt', 'a/', 'z/', 'zz.txt']);
    assert.deepEqual(await all('', '/a'), ['a/1.txt', 'a/2.txt', 'a/b/']);
    assert.deepEqual(await all('&recursive=True'), [
      'a-z.txt',
      'a/',
      'a/1.txt',
      'a/2.txt',
      'a/b/',
      'a/b/3.txt',
      'z/',
      'z/y/',
      'z/y/x.txt',
      'zz.txt',
    ]);

    const commit = commitOf(id, 2);
    for (const revision of ['main', '2', 'v2', 'release%201', commit]) {
      const { body } = await call<{ sha: string; id: string }>(`/api/datasets/ns/${id}/revision/${revision}`);
      assert.deepEqual([body.id, body.sha], [id, commit], revision);
    }
    const file = `/datasets/${id}/resolve/main/a/b/3.txt`;
    const whole = await call<string>(file);
    assert.deepEqual([whole.status, whole.body, whole.headers.get('x-repo-commit')], [200, 'a/b/3.txt', commit]);
    const tag = whole.headers.get('etag') ?? '';
    assert.equal((await call(file, { headers: { 'if-none-match': tag } })).status, 304);
    const head = await call(file, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length'), head.headers.get('etag')], [200, '9', tag]);
    const part = await call<string>(file, { headers: { range: 'bytes=2-4' } });
    assert.deepEqual([part.status, part.body, part.headers.get('content-range')], [206, 'b/3', 'bytes 2-4/9']);

    const other = await make('Other');
    const refusals: [string, number, string | null][] = [
      ['/api/datasets/nothing', 404, 'RepoNotFound'],
      [`/api/datasets/${id}/revision/nine`, 404, 'RevisionNotFound'],
      [`/api/datasets/${id}/revision/7`, 404, 'RevisionNotFound'],
      [`/api/datasets/${other}/revision/${commit}`, 404, 'RevisionNotFound'],
      [`/datasets/${id}/resolve/main/none.txt`, 404, 'EntryNotFound'],
      [`/api/datasets/${id}/tree/main/none`, 404, 'EntryNotFound'],
      [`/datasets/${id}/resolve/main/..%2f..%2fetc%2fpasswd`, 400, null],
      [`/datasets/${id}/resolve/main/a/%2e%2e/zz.txt%00`, 400, null],
      [`/datasets/${id}/resolve/main/%2fetc%2fpasswd`, 400, null],
      [`/api/datasets/${id}/tree/main?limit=x`, 400, null],
      [`/api/datasets/${id}/tree/main?limit=0`, 400, null],
      ['/api/datasets?limit=', 400, null],
    ];
    for (const [path, status, code] of refusals) {
      const { headers, ...answer } = await call(path);
      assert.deepEqual(
        [answer.status, headers.get('x-error-code')],
        [status, code],
        `${path}: ${JSON.stringify(answer.body)}`,
      );
    }
    await make('Corpus');
    const ambiguous = await call<{ error: string }>('/api/datasets/Corpus');
    assert.equal(ambiguous.status, 409);
    assert.match(ambiguous.headers.get('x-error-message') ?? '', /Several datasets are named Corpus/);

    const asked = (body: string, type: string) =>
      call<Entry[]>(`/api/datasets/${id}/paths-info/main`, { method: 'POST', body, headers: { 'content-type': type } });
    const form1 = await asked('paths=a&paths=zz.txt&paths=gone&expand=False', 'application/x-www-form-urlencoded');
    assert.deepEqual(
      form1.body.map(({ type, path }) => `${type} ${path}`),
      ['directory a', 'file zz.txt'],
    );
    assert.deepEqual(
      (await asked('{"paths":"zz.txt"}', 'application/json')).body.map(({ size }) => size),
      [6],
    );
    for (const [body, type] of [
      ['{', 'application/json'],
      ['{"paths":[1]}', 'application/json'],
      ['paths=../x', 'application/x-www-form-urlencoded'],
    ] as const)
      assert.equal((await asked(body, type)).status, 400, body);
    assert.equal((await asked('paths=x&'.repeat(200_000), 'application/x-www-form-urlencoded')).status, 413);

    await api('DELETE', `/data-management/datasets/${other}`);
    assert.equal((await call(`/api/datasets/${other}`)).status, 404, 'a deleted one is not there');
  },
);

shared.forAnyDatabase(
  'entries that are expanded tell the version that last changed them',
  async (_t, { url, api, token }) => {
    const { body } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'Expanded', type: 'TEXT' });
    const at = `/data-management/datasets/${body.id}`;
    const upload = async (files: Record<string, string>): Promise<void> => {
      const form = new FormData();
      for (const [path, content] of Object.entries(files)) form.append('files', new Blob([content]), path);
      assert.equal((await api('POST', `${at}/files/upload`, form)).status, 201);
    };
    await upload({ 'a.txt': '1', 'd/b.txt': '1', 'd/e/c.txt': '1', 'gone/x.txt': '1', 'gone/y.txt': '1' });
    await upload({ 'd/e/c.txt': '2' });
    await api('POST', `${at}/versions`, { name: 'second' });
    await upload({ 'a.txt': '3' });
    const { body: files } = await api<{ content: { id: string; filePath: string }[] }>('GET', `${at}/files`);
    const { id = '' } = files.content.find(({ filePath }) => filePath === 'gone/x.txt') ?? {};
    await api('DELETE', `${at}/files/${id}`);
    const get = async (path: string, init: RequestInit = {}): Promise<string[]> => {
      const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
      const answer = await fetch(`${url}/api/datasets/${body.id}${path}`, { ...init, headers });
      type Expanded = { path: string; lastCommit?: { id: string; title: string; date: string } };
      return ((await answer.json()) as Expanded[]).map(({ path: name, lastCommit }) => {
        if (lastCommit === undefined) return name;
        assert.ok(!Number.isNaN(Date.parse(lastCommit.date)));
        const version = Number.parseInt(lastCommit.id.slice(-8), 16);
        assert.equal(lastCommit.id, commitOf(body.id, version));
        return `${name} ${version} ${lastCommit.title}`;
      });
    };
    const named = (version: number): string => (version === 3 ? 'second' : `Version ${version}`);
    const lines = (entries: Record<string, number>): string[] =>
      Object.entries(entries).map(([path, version]) => `${path} ${version} ${named(version)}`);
    assert.deepEqual(await get('/tree/main?expand=True'), lines({ 'a.txt': 4, d: 3, gone: 5 }));
    assert.deepEqual(
      await get('/tree/2?expand=true&recursive=true'),
      lines({ 'a.txt': 2, d: 2, 'd/b.txt': 2, 'd/e': 2, 'd/e/c.txt': 2, gone: 2, 'gone/x.txt': 2, 'gone/y.txt': 2 }),
    );
    assert.deepEqual(await get('/tree/second/d?expand=1'), lines({ 'd/b.txt': 2, 'd/e': 3 }));
    assert.deepEqual(await get('/tree/main'), ['a.txt', 'd', 'gone']);
    const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    assert.deepEqual(
      await get('/paths-info/main', { ...form, body: 'paths=d&paths=a.txt&paths=nothing&expand=True' }),
      lines({ d: 3, 'a.txt': 4 }),
    );
    const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
    assert.deepEqual(
      await get('/paths-info/2', { ...json, body: '{"paths":["a.txt"],"expand":true}' }),
      lines({ 'a.txt': 2 }),
    );
    assert.deepEqual(await get('/paths-info/2', { ...json, body: '{"paths":["a.txt"]}' }), ['a.txt']);

    await api('POST', `${at}/prune`, { keepLast: 1 });
    assert.deepEqual(
      await get('/tree/main?expand=True'),
      lines({ 'a.txt': 5, d: 3, gone: 5 }),
      'of a pruned version, the next one',
    );
  },
);

test('the addresses of the Hub need a key, and write nothing', async () => {
  const { url, api } = await shared.open();
  const { body } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'd', type: 'TEXT' });
  const paths = [
    ['GET', '/api/whoami-v2'],
    ['GET', '/api/datasets'],
    ['GET', `/api/datasets/${body.id}`],
    ['GET', `/api/datasets/ns/${body.id}/refs`],
    ['GET', `/api/datasets/${body.id}/tree/main`],
    ['POST', `/api/datasets/${body.id}/paths-info/main`],
    ['GET', `/datasets/${body.id}/resolve/main/a.txt`],
    ['HEAD', `/datasets/${body.id}/resolve/main/a.txt`],
    ['POST', '/api/repos/create'],
    ['POST', `/api/datasets/${body.id}/commit/main`],
  ];
  const { body: key } = await api<{ key: string }>('POST', '/auth/api-keys', { name: 'k' });
  for (const [method = '', path = ''] of paths) {
    assert.equal((await fetch(url + path, { method })).status, 401, path);
    const wrong = { authorization: 'Bearer tilth_nothing' };
    assert.equal((await fetch(url + path, { method, headers: wrong })).status, 401, path);
  }
  for (const path of [
    '/api/repos/create',
    `/api/datasets/${body.id}/commit/main`,
    `/api/datasets/a/${body.id}/preupload/main`,
  ]) {
    const refused = await fetch(url + path, { method: 'POST', headers: { authorization: `Bearer ${key.key}` } });
    assert.equal(refused.status, 405, path);
    assert.match(((await refused.json()) as { error: string }).error, /is read-only/);
  }
  const listed = await fetch(`${url}/api/datasets`, { headers: { authorization: `Bearer ${key.key}` } });
  const all = await api<{ content: { id: string }[] }>('GET', '/data-management/datasets?size=100');
  const idsOf = (datasets: { id: string }[]): string[] => datasets.map(({ id }) => id).toSorted();
  assert.ok(all.body.content.some(({ id }) => id === body.id));
  assert.deepEqual(idsOf((await listed.json()) as { id: string }[]), idsOf(all.body.content));
});

test('a whole version can be read within the rate limits, and more of it counts', async (t) => {
  const settings = { TILTH_RATE_LIMIT_PER_MINUTE: '6' };
  const { url, api } = await startApp(t, { settings });
  const { body } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'd', type: 'TEXT' });
  const form = new FormData();
  for (const path of ['a.txt', 'b.txt', 'c.txt']) form.append('files', new Blob([path]), path);
  await api('POST', `/data-management/datasets/${body.id}/files/upload`, form);
  const { body: key } = await api<{ key: string }>('POST', '/auth/api-keys', { name: 'k' });
  const read = async (path: string): Promise<[number, string | null]> => {
    const headers = { authorization: `Bearer ${key.key}` };
    const { status, headers: answered } = await fetch(`${url}/datasets/${path}`, { headers });
    return [status, answered.get('x-ratelimit-remaining')];
  };
  const file = `${body.id}/resolve/main/a.txt`;
  // Three files and a part of a MiB: 4 × 3 + 4 × 1.
  for (let call = 0; call < 16; call++) assert.deepEqual(await read(file), [200, '6']);
  assert.deepEqual(await read(file), [200, '5'], 'then calls count');

  assert.deepEqual(await read('nothing/resolve/main/a.txt'), [404, '4'], 'and those for what is not there');
  assert.deepEqual(await read(`${body.id}/resolve/9/a.txt`), [404, '3']);
  for (let call = 2; call >= 0; call--) assert.deepEqual(await read(file), [200, String(call)]);
  assert.equal((await read(file))[0], 429);
});
