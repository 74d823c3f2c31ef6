// Secrets of connectors are kept, replaced and never shown, whatever the source repeats of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCollection } from '../../../tests/support/collection.ts';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { startFileServer } from '../../../tests/fakes/file-server.ts';

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
