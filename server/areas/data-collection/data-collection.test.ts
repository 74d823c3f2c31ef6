import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openCollection } from '../../../tests/support/collection.ts';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { startFileServer } from '../../../tests/fakes/file-server.ts';
import { startApp } from '../../../tests/support/server.ts';

const schedule = { cron: '0 3 * * *', timezone: 'Europe/Berlin' };

test('a schedule and the mode agree', async (t) => {
  const bench = await openCollection(t);
  const config = { urls: ['http://127.0.0.1:1024/'] };
  const modeOf = async (id: string) => {
    const { syncMode, schedule: set } = await bench.tasks.get(id);
    return [syncMode, set?.cron ?? null];
  };
  const refused = { field: 'schedule' };
  await assert.rejects(bench.task('http-files', config, { syncMode: 'SCHEDULED' }), refused);
  await assert.rejects(bench.task('http-files', config, { syncMode: 'SCHEDULED', schedule: null }), refused);
  await assert.rejects(bench.task('http-files', config, { syncMode: 'ONCE', schedule }), refused);
  assert.deepEqual(await modeOf(await bench.task('http-files', config)), ['ONCE', null]);
  const id = await bench.task('http-files', config, { schedule });
  assert.deepEqual(await modeOf(id), ['SCHEDULED', '0 3 * * *']);
  await bench.tasks.update(id, { syncMode: 'SCHEDULED', name: 'Other' }, 'erin');
  assert.deepEqual(await modeOf(id), ['SCHEDULED', '0 3 * * *']);
  await bench.tasks.update(id, { syncMode: 'ONCE' }, 'erin');
  assert.deepEqual(await modeOf(id), ['ONCE', null]);
  await assert.rejects(bench.tasks.update(id, { syncMode: 'SCHEDULED' }, 'erin'), refused);
  await bench.tasks.update(id, { schedule }, 'erin');
  await bench.tasks.update(id, { schedule: null }, 'erin');
  assert.deepEqual(await modeOf(id), ['ONCE', null]);
});

forAnyDatabase('a taken path is replaced, renamed or refused, and one’s own file always replaced', async (t, open) => {
  const bench = await openCollection(t, { db: await open() });
  const server = await startFileServer(t);
  server.answers.set('/a.txt', 'from the web').set('/b.txt', 'b');
  const urls = [`${server.url}/a.txt`, `${server.url}/b.txt`];
  const occupied = async (name: string): Promise<string> => {
    const { id } = await bench.data.datasets.create({ name, type: 'TEXT' }, 'erin');
    const task = await bench.task('http-files', { urls: [`${server.url}/a.txt`] }, { targetDatasetId: id });
    await bench.run(task);
    return id;
  };
  const taskOf = async (onConflict: 'REPLACE' | 'RENAME' | 'ERROR') =>
    bench.task('http-files', { urls }, { onConflict, targetDatasetId: await occupied(onConflict) });

  const renaming = await taskOf('RENAME');
  await bench.run(renaming);
  assert.deepEqual(Object.keys(await bench.contents(renaming)), ['a (1).txt', 'a.txt', 'b.txt']);
  server.answers.set('/a.txt', 'changed');
  await bench.run(renaming);
  assert.deepEqual(await bench.contents(renaming), { 'a (1).txt': 'changed', 'a.txt': 'from the web', 'b.txt': 'b' });

  const refusing = await taskOf('ERROR');
  const run = await bench.run(refusing);
  assert.equal(run.status, 'COMPLETED');
  assert.deepEqual(run.counts, { in: 2, kept: 1, changed: 0, dropped: 0, failed: 1, emitted: 1 });
  assert.match((await bench.verdicts(run)).join('\n'), /^FAILED .*a\.txt: .*a\.txt.* exists/);
  assert.match(run.failures[0]?.reason ?? '', /exists/);

  const replacing = await taskOf('REPLACE');
  server.answers.set('/a.txt', 'newest');
  await bench.run(replacing);
  assert.deepEqual(await bench.contents(replacing), { 'a.txt': 'newest', 'b.txt': 'b' });
});

test('a deleted dataset is created again with everything in it', async (t) => {
  const bench = await openCollection(t);
  const server = await startFileServer(t);
  server.answers.set('/a.txt', 'a');
  const id = await bench.task('http-files', { urls: [`${server.url}/a.txt`] }, { targetDatasetName: 'Web' });
  await bench.run(id);
  await bench.data.datasets.remove((await bench.tasks.get(id)).targetDatasetId ?? '', 'erin');
  assert.equal((await bench.run(id)).counts.kept, 1);
  assert.deepEqual(await bench.contents(id), { 'a.txt': 'a' });
  // With another folder, the task fetches everything again.
  await bench.tasks.update(id, { prefix: 'elsewhere' }, 'erin');
  assert.equal((await bench.run(id)).counts.kept, 1);
  assert.deepEqual(await bench.contents(id), { 'a.txt': 'a', 'elsewhere/a.txt': 'a' });
});

forAnyDatabase(
  'what is gone from the dataset is fetched again; what was moved or replaced there is not',
  async (t, open) => {
    const bench = await openCollection(t, { db: await open() });
    const server = await startFileServer(t);
    const names = ['deleted.txt', 'moved.txt', 'replaced.txt', 'stays.txt'];
    for (const name of names) server.answers.set(`/${name}`, `of ${name}`);
    const id = await bench.task('http-files', { urls: names.map((name) => `${server.url}/${name}`) });
    await bench.run(id);
    const datasetId = (await bench.tasks.get(id)).targetDatasetId ?? '';
    const { content } = await bench.data.files.list(datasetId, { page: 0, size: 10, directories: false });
    const fileId = (name: string) => content.find(({ filePath }) => filePath === name)?.id ?? '';
    await bench.data.files.remove(datasetId, fileId('deleted.txt'), false, 'ann');
    await bench.data.files.remove(datasetId, fileId('replaced.txt'), false, 'ann');
    await bench.data.files.update(datasetId, fileId('moved.txt'), { filePath: 'folder/moved.txt' }, 'ann');
    await bench.data.files.update(datasetId, fileId('stays.txt'), { filePath: 'replaced.txt' }, 'ann');

    const run = await bench.run(id);
    assert.deepEqual([run.status, run.counts.kept, run.counts.dropped], ['COMPLETED', 1, 3], run.error ?? '');
    assert.match(
      (await bench.logs(run)).join('\n'),
      /are no longer in the dataset \(1\): those that the source offers/,
    );
    assert.deepEqual(await bench.contents(id), {
      'deleted.txt': 'of deleted.txt',
      'folder/moved.txt': 'of moved.txt',
      'replaced.txt': 'of stays.txt',
    });
    const again = await bench.run(id);
    assert.equal(again.counts.dropped, 4);
    assert.doesNotMatch((await bench.logs(again)).join('\n'), /no longer in the dataset/);
  },
);

test('the API lists connectors, tests, collects, and shows items and state', async (t) => {
  const server = await startFileServer(t);
  server.answers.set('/a.txt', 'a');
  const { api } = await startApp(t, { settings: { TILTH_OUTGOING_ALLOW: '127.0.0.1' } });
  const call = async <T>(method: string, path: string, body?: object, status = 200): Promise<T> => {
    const answer = await api<{ code: number; data: T; error?: string }>(method, `/data-collection${path}`, body);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return answer.body.data;
  };
  type Page<T> = { content: T[]; totalElements: number };
  const connectors = await call<Page<{ type: string; secretFields: string[]; configSchema: { properties: object } }>>(
    'GET',
    '/connectors?size=100',
  );
  const http = connectors.content.find(({ type }) => type === 'http-files');
  assert.deepEqual(http?.secretFields, ['bearerToken', 'password', 'secretHeaders']);
  assert.ok('urls' in (http?.configSchema.properties ?? {}));

  const config = { urls: [`${server.url}/a.txt`] };
  const found = await call<{ ok: boolean; sample: { beginning: string }[] }>('POST', '/connectors/http-files/test', {
    config,
  });
  assert.deepEqual([found.ok, found.sample[0]?.beginning], [true, 'a']);
  const gone = { config: { urls: ['http://127.0.0.1:1025/'] } };
  const refused = await call<{ ok: boolean; message: string }>('POST', '/connectors/http-files/test', gone);
  assert.deepEqual(refused.ok, false);
  assert.match(refused.message, /^Nothing accepts connections at 127\.0\.0\.1:1025/);
  await call('POST', '/connectors/nothing/test', { config }, 404);
  await call('POST', '/connectors/http-files/test', { config: { urls: [] } }, 400);
  const wrong: readonly (readonly [connector: object, error: RegExp])[] = [
    [{ type: 'nothing', config }, /connector\.type is not a known connector/],
    [{ type: 'http-files', config: {} }, /connector\.config\.urls is required/],
    [{ type: 'http-files', config: { urls: ['ftp://x/'] } }, /connector\.config\.urls\.0 must be a URL/],
    [{ type: 'http-files', config: { urls: ['http://a:b@x/'] } }, /must not contain credentials/],
    [{ type: 'http-files', config: { ...config, headers: { Cookie: 'a' } } }, /would be visible to everyone/],
    [{ type: 'http-files', config: { ...config, secretHeaders: 'no colon' } }, /secretHeaders must be lines like/],
    ...Object.entries({
      'http-files': { ...config, bearerToken: 'a\r\nX-Other: b' },
      'http-api': { url: config.urls[0], bearerToken: 'a\nb' },
      'web-crawl': { startUrls: config.urls, bearerToken: 'a\u007fb' },
      rss: { url: config.urls[0], bearerToken: '秘密' },
      git: { url: config.urls[0], bearerToken: 'a\r' },
    }).map(
      ([type, each]) =>
        [{ type, config: each }, /config\.bearerToken contains characters that cannot be sent/] as const,
    ),
    [
      { type: 'http-files', config: { ...config, username: 'a\nb' } },
      /config\.username contains characters that cannot/,
    ],
    [
      { type: 'git', config: { url: config.urls[0], password: 'a\r\n' } },
      /config\.password contains characters that cannot/,
    ],
    [
      { type: 'huggingface', config: { repository: 'a/b', token: 'a\n' } },
      /config\.token contains characters that cannot/,
    ],
    [
      { type: 'http-files', config: { ...config, headers: { 'X-A': 'a\r\nb' } } },
      /headers\.X-A contains characters that cannot/,
    ],
  ];
  for (const [connector, error] of wrong) {
    const { status, body } = await api<{ error: string }>('POST', '/data-collection/tasks', { name: 'T', connector });
    assert.equal(status, 400);
    assert.match(body.error, error);
  }

  const body = { name: 'Web', connector: { type: 'http-files', config }, syncMode: 'ONCE' };
  const task = await call<{ id: string; status: string; targetDatasetName: string }>('POST', '/tasks', body, 201);
  assert.deepEqual([task.status, task.targetDatasetName], ['PENDING', 'Web']);
  const run = await call<{ id: string }>('POST', `/tasks/${task.id}/execute`, {});
  for (;;) {
    const { status } = await call<{ status: string }>('GET', `/tasks/${task.id}`);
    if (status === 'COMPLETED') break;
    assert.equal(status, 'RUNNING');
    await setTimeout(20);
  }
  const items = await call<Page<{ name: string; verdict: string; path: string; sizeBytes: number }>>(
    'GET',
    `/tasks/${task.id}/runs/${run.id}/items?verdict=KEPT&search=A.TXT`,
  );
  assert.deepEqual(
    items.content.map(({ name, verdict, path, sizeBytes }) => [name, verdict, path, sizeBytes]),
    [[config.urls[0], 'KEPT', 'a.txt', 1]],
  );
  const path = `/tasks/${task.id}/runs/${run.id}/items`;
  assert.equal((await call<Page<unknown>>('GET', `${path}?verdict=FAILED`)).totalElements, 0);
  assert.equal((await call<Page<unknown>>('GET', `${path}?search=nothing`)).totalElements, 0);
  await call('GET', `${path}?verdict=LOST`, undefined, 400);
  await call('GET', `/tasks/${task.id}/runs/none/items`, undefined, 404);
  const state = await call<Page<{ name: string; path: string }>>('GET', `/tasks/${task.id}/state`);
  assert.deepEqual(
    state.content.map((each) => [each.name, each.path]),
    [[config.urls[0], 'a.txt']],
  );
  assert.equal((await api('POST', '/data-cleaning/tasks/x/execute', { fromStart: true })).status, 404);
});
