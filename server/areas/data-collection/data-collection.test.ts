import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openCollection } from '../../../tests/support/collection.ts';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { startFileServer } from '../../../tests/fakes/file-server.ts';
import { startApp } from '../../../tests/support/server.ts';
import { fileOperations } from '../../storage/blobs/index.ts';
import { listStagedItems } from './queries/items.ts';

const schedule = { cron: '0 3 * * *', timezone: 'Europe/Berlin' };

forAnyDatabase('secrets are kept, replaced, removed, and never shown', async (t, open) => {
  const db = await open();
  const bench = await openCollection(t, { db });
  const server = await startFileServer(t);
  const seen: (string | undefined)[] = [];
  server.answers.set('/a', (request, response) => {
    seen.push(request.headers.authorization);
    response.end('a');
  });
  const config = { urls: [`${server.url}/a`], username: 'ann', password: 'first' };
  const id = await bench.task('http-files', config);
  const shown = async () => (await bench.tasks.get(id)).connector;
  const hidden = { password: null, bearerToken: null, secretHeaders: null };
  const rest = { maxFileBytes: 10_737_418_240, timeoutSeconds: 3600 };
  assert.deepEqual(await shown(), {
    type: 'http-files',
    config: { urls: config.urls, username: 'ann', ...rest, ...hidden, hasSecret: true },
    storedSecrets: ['password'],
  });
  const basic = (password: string) => `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`;
  await bench.run(id);

  // Sending back what the API shows keeps the secret.
  await bench.tasks.update(id, { connector: await shown(), description: 'changed' }, 'erin');
  await bench.run(id);
  await bench.tasks.update(id, { connector: { type: 'http-files', config } }, 'erin');
  const put = (changed: object) =>
    bench.tasks.update(id, { connector: { type: 'http-files', config: { ...config, ...changed } } }, 'erin');
  await put({ password: 'second' });
  await bench.run(id);
  await put({ password: '' });
  await bench.run(id);
  assert.deepEqual((await shown()).storedSecrets, []);
  assert.deepEqual(seen, [basic('first'), basic('first'), basic('second'), basic('')]);

  await put({ password: 'third' });
  const other = await startFileServer(t);
  const moved = { ...config, urls: [`${other.url}/a`] };
  for (const password of [undefined, null])
    await assert.rejects(
      bench.tasks.update(id, { connector: { type: 'http-files', config: { ...moved, password } } }, 'erin'),
      { field: 'connector.config.password', message: /must be given again for the new address/ },
    );
  const given = { config: { urls: moved.urls }, taskId: id };
  await assert.rejects(bench.sources.test('http-files', given), { message: /must be given again/ });
  const stored = await bench.sources.test('http-files', { config: { urls: config.urls, username: 'ann' }, taskId: id });
  assert.deepEqual([stored.ok, seen.at(-1)], [true, basic('third')]);
  assert.equal(other.requests.length, 0);

  const count = async () => (await db.read.selectFrom('secrets').selectAll().execute()).length;
  assert.equal(await count(), 1);
  await bench.tasks.update(id, { connector: { type: 'local-folder', config: { path: '/' } } }, 'erin').catch(() => {});
  assert.equal(await count(), 1, 'a refused change changes nothing');
  await bench.tasks.remove(id);
  assert.equal(await count(), 0);
  assert.deepEqual(await db.read.selectFrom('collection_states').selectAll().execute(), []);
  assert.deepEqual(await db.read.selectFrom('collection_items').selectAll().execute(), []);
  assert.deepEqual(await db.read.selectFrom('collection_runs').selectAll().execute(), []);
});

test('a secret that the source repeats is nowhere in items, logs and errors', async (t) => {
  const bench = await openCollection(t);
  const server = await startFileServer(t);
  const planted = 'sk-PLANTED-8c1f0b7e52d9';
  server.answers.set('/a', (_request, response) =>
    response.writeHead(302, { location: `http://${planted}.example.invalid/` }).end(),
  );
  const id = await bench.task('http-files', { urls: [`${server.url}/a`], bearerToken: planted });
  const run = await bench.run(id);
  assert.equal(run.status, 'FAILED');
  const all = JSON.stringify([run, await bench.items(run), await bench.logs(run), await bench.tasks.get(id)]);
  assert.ok(!all.toLowerCase().includes(planted.toLowerCase()), all);
  assert.match(all, /redacted/);
  const { ok, message } = await bench.sources.test('http-files', {
    config: { urls: [`${server.url}/a`], bearerToken: planted },
  });
  assert.equal(ok, false);
  assert.ok(!message.toLowerCase().includes(planted.toLowerCase()), message);
});

test('what a source repeats of its secrets is masked in samples, evidence and fields', async (t) => {
  const bench = await openCollection(t);
  const server = await startFileServer(t);
  const [password, key, number] = ['hunter2', 'short', '9007199254'];
  server.answers.set('/rows', (request, response) => {
    const { authorization } = request.headers;
    const sent = String(request.headers['x-api-key']);
    const row = { authorization, nested: [{ [sent]: `key ${sent}` }], number: Number(number), plain: 'stays' };
    response.setHeader('etag', `"${sent}"`).end(JSON.stringify([row]));
  });
  const url = `${server.url}/rows`;
  const basic = { username: 'ann', password, secretHeaders: `X-API-Key: ${key}\nX-Number: ${number}` };
  const { ok, sample } = await bench.sources.test('http-api', { config: { url, ...basic } });
  assert.equal(ok, true);
  assert.deepEqual(sample, [
    {
      authorization: 'Basic [redacted]',
      nested: [{ '[redacted]': 'key [redacted]' }],
      number: '[redacted]',
      plain: 'stays',
    },
  ]);
  const files = await bench.sources.test('http-files', { config: { urls: [url], ...basic } });
  for (const secret of [password, key, number, Buffer.from(`ann:${password}`).toString('base64')])
    assert.ok(!JSON.stringify(files.sample).includes(secret), JSON.stringify(files.sample));
  const run = await bench.run(await bench.task('http-files', { urls: [url], ...basic }));
  const [item] = await bench.items(run);
  assert.equal(item?.evidence?.['etag'], '"[redacted]"');
});

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

forAnyDatabase('a run that is killed loses and repeats nothing', async (t, open) => {
  const db = await open();
  const first = await openCollection(t, { db });
  const server = await startFileServer(t);
  const urls = Array.from({ length: 300 }, (_each, index) => `${server.url}/${index}.txt`);
  for (let index = 0; index < urls.length; index += 1) server.answers.set(`/${index}.txt`, `content ${index}`);
  const reached = Promise.withResolvers<void>();
  server.answers.set('/250.txt', () => reached.resolve());
  const id = await first.task('http-files', { urls });
  const run = await first.tasks.execute(id, {}, 'erin');
  await reached.promise;
  await first.stop();
  assert.deepEqual(await db.read.selectFrom('files').selectAll().execute(), [], 'nothing is half there');
  const before = server.requests.length;
  const recorded = (await db.read.selectFrom('collection_items').selectAll().execute()).length;
  assert.ok(recorded > 0);

  server.answers.set('/250.txt', 'content 250');
  const second = await openCollection(t, { db, directory: first.directory });
  const ended = await second.ended(run);
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  assert.deepEqual(ended.counts, { in: 300, kept: 300, changed: 0, dropped: 0, failed: 0, emitted: 300 });
  const contents = await second.contents(id);
  assert.equal(Object.keys(contents).length, 300);
  for (let index = 0; index < 300; index += 1) assert.equal(contents[`${index}.txt`], `content ${index}`);
  assert.equal(server.requests.length - before, 300 - recorded, 'what had its checkpoint is not fetched again');
  assert.equal(await second.version(id), 2);
  assert.equal((await second.run(id)).counts.dropped, 300);
});

forAnyDatabase('a stopped run is resumed, or given up without a trace', async (t, open) => {
  const db = await open();
  const bench = await openCollection(t, { db });
  const server = await startFileServer(t);
  const urls = Array.from({ length: 250 }, (_each, index) => `${server.url}/${index}`);
  for (let index = 0; index < urls.length; index += 1) server.answers.set(`/${index}`, String(index));
  const reached = Promise.withResolvers<void>();
  server.answers.set('/240', () => reached.resolve());
  const id = await bench.task('http-files', { urls });
  const run = await bench.tasks.execute(id, {}, 'erin');
  await reached.promise;
  await bench.tasks.stop(id);
  assert.equal((await bench.ended(run)).status, 'STOPPED');
  const staged = async () =>
    (await db.read.selectFrom('collection_items').selectAll().where('staged_blob_id', 'is not', null).execute()).length;
  const recorded = await staged();
  assert.ok(recorded > 0);

  const resumed = await bench.tasks.execute(id, { resume: true }, 'erin');
  assert.ok((await staged()) >= recorded, 'they wait in the new run');
  await setTimeout(50);
  await bench.tasks.stop(id);
  await bench.ended(resumed);
  server.answers.set('/240', '240');
  const { status, counts } = await bench.run(id, { resume: true });
  assert.deepEqual([status, counts.in, counts.kept], ['COMPLETED', 250, 250]);
  assert.equal(Object.keys(await bench.contents(id)).length, 250);

  const again = await bench.task('http-files', { urls });
  const blocked = Promise.withResolvers<void>();
  server.answers.set('/240', () => blocked.resolve());
  await bench.tasks.execute(again, {}, 'erin');
  await blocked.promise;
  await bench.tasks.stop(again);
  server.answers.set('/240', '240');
  assert.equal((await bench.run(again)).counts.kept, 250);
  assert.equal(await staged(), 0);
  const held = await db.read.selectFrom('blobs').select('id').where('refs', '>', 0).execute();
  assert.equal(held.length, 500, 'no content is held by a run that was given up');
});

test('what was damaged on disk before it could land fails, and comes with the next run', async (t) => {
  const first = await openCollection(t);
  const server = await startFileServer(t);
  const urls = Array.from({ length: 210 }, (_each, index) => `${server.url}/${index}`);
  for (let index = 0; index < urls.length; index += 1) server.answers.set(`/${index}`, String(index));
  server.answers.set('/0', Buffer.alloc(2_000_000, 'a'));
  const reached = Promise.withResolvers<void>();
  server.answers.set('/205', () => reached.resolve());
  const id = await first.task('http-files', { urls });
  const run = await first.tasks.execute(id, {}, 'erin');
  await reached.promise;
  const [staged] = await listStagedItems(first.db.read, run.id, -1, 1);
  const { path, offset, release } = await first.blobs.localPath(staged?.staged_blob_id ?? '');
  await first.stop();
  const file = await open(path, 'r+');
  await file.write('damage', offset + 1_000_000);
  await file.close();
  await release();

  server.answers.set('/205', '205');
  const second = await openCollection(t, { directory: first.directory });
  const ended = await second.ended(run);
  assert.deepEqual([ended.status, ended.counts.kept, ended.counts.failed], ['COMPLETED', 209, 1], ended.error ?? '');
  assert.match(ended.failures[0]?.reason ?? '', /damaged on disk before they could land; the next run fetches it/);
  assert.equal((await second.run(id)).counts.kept, 1);
  assert.equal((await second.contents(id))['0'], 'a'.repeat(2_000_000));
});

test('a full disk fails the run with its cause; resuming continues', async (t) => {
  let isFull = false;
  const write: typeof fileOperations.write = (fd, bytes, position) => {
    if (isFull) return Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    return fileOperations.write(fd, bytes, position);
  };
  const bench = await openCollection(t, { blobs: { operations: { ...fileOperations, write }, lane: 'buffered' } });
  const server = await startFileServer(t);
  server.answers.set('/a', Buffer.alloc(3_000_000, 'a')).set('/b', 'b');
  const id = await bench.task('http-files', { urls: [`${server.url}/b`, `${server.url}/a`] });
  isFull = true;
  const run = await bench.run(id);
  assert.deepEqual([run.status, run.error], ['FAILED', 'The storage is full; free some space and resume the run']);
  assert.equal(run.counts.failed, 0, 'the items are not to blame');
  isFull = false;
  const resumed = await bench.run(id, { resume: true });
  assert.deepEqual([resumed.status, resumed.counts.kept], ['COMPLETED', 2]);
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
