import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomBytes } from 'node:crypto';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { openCollection } from '../../tests/support/collection.ts';
import { breakOff, etagOf, startFileServer, type Answer } from '../../tests/fakes/file-server.ts';
import { pathOfUrl } from './http-files.ts';

forAnyDatabase('files are fetched, then only what changed', async (t, open) => {
  const bench = await openCollection(t, { db: await open() });
  const server = await startFileServer(t);
  server.answers.set('/data/a.txt', 'first').set('/data/b.txt', 'second').set('/', 'home');
  const urls = ['/data/a.txt', '/data/b.txt', '/', '/data/gone.txt'].map((path) => server.url + path);
  const task = await bench.task('http-files', { urls }, { prefix: 'web' });

  const first = await bench.run(task);
  assert.equal(first.status, 'COMPLETED', first.error ?? '');
  assert.deepEqual(first.counts, { in: 4, kept: 3, changed: 0, dropped: 0, failed: 1, emitted: 3 });
  assert.deepEqual(await bench.contents(task), {
    'web/data/a.txt': 'first',
    'web/data/b.txt': 'second',
    'web/index.html': 'home',
  });
  assert.deepEqual(await bench.verdicts(first), [
    `KEPT ${urls[0]}`,
    `KEPT ${urls[1]}`,
    `KEPT ${urls[2]}`,
    `FAILED ${urls[3]}: ${server.host} has nothing at this address (404)`,
  ]);
  assert.equal(await bench.version(task), 2, 'one run is one version');

  const second = await bench.run(task);
  assert.deepEqual([second.counts.kept, second.counts.dropped, second.counts.failed], [0, 3, 1]);
  assert.equal(await bench.version(task), 2, 'nothing new adds no version');

  server.answers.set('/data/b.txt', 'changed');
  const before = server.sentBytes;
  const third = await bench.run(task);
  assert.deepEqual([third.counts.kept, third.counts.dropped], [1, 2]);
  assert.equal(server.sentBytes - before, 'changed'.length, 'only what changed is sent');
  assert.equal((await bench.contents(task))['web/data/b.txt'], 'changed');

  const { targetDatasetId } = await bench.tasks.get(task);
  const { content } = await bench.data.files.list(targetDatasetId ?? '', { page: 0, size: 10, directories: false });
  const { origin } = content.find(({ filePath }) => filePath === 'web/data/b.txt') ?? {};
  assert.deepEqual(
    [origin?.connector, origin?.name, origin?.taskId, origin?.runId, origin?.evidence?.['etag']],
    ['http-files', urls[1], task, third.id, etagOf('changed')],
  );
});

forAnyDatabase('from the start, everything is fetched again and lands where it was', async (t, open) => {
  const bench = await openCollection(t, { db: await open() });
  const server = await startFileServer(t);
  server.answers.set('/a.txt', 'same').set('/x/a.txt', 'other');
  const task = await bench.task('http-files', { urls: [`${server.url}/a.txt`] }, { onConflict: 'RENAME' });
  await bench.run(task);
  const { targetDatasetId } = await bench.tasks.get(task);
  const { content } = await bench.data.files.list(targetDatasetId ?? '', { page: 0, size: 10, directories: false });
  await bench.data.files.remove(targetDatasetId ?? '', content[0]?.id ?? '', false, 'erin');
  const again = await bench.run(task, { fromStart: true });
  assert.deepEqual([again.status, again.counts.kept], ['COMPLETED', 1]);
  assert.deepEqual(await bench.contents(task), { 'a.txt': 'same' });
  assert.equal((await bench.run(task)).counts.dropped, 1, 'nothing has changed');
  assert.equal((await bench.run(task, { fromStart: true })).counts.kept, 1);
  assert.deepEqual(await bench.contents(task), { 'a.txt': 'same' }, 'its own file is replaced, not renamed');
});

forAnyDatabase('a path that another URL has taken gets a number, and keeps it', async (t, open) => {
  const bench = await openCollection(t, { db: await open() });
  const server = await startFileServer(t);
  for (const query of ['1', '2', '3']) server.answers.set(`/a.txt?v=${query}`, `version ${query}`);
  const urls = ['1', '2', '3'].map((query) => `${server.url}/a.txt?v=${query}`);
  const task = await bench.task('http-files', { urls });
  await bench.run(task);
  const expected = { 'a.txt': 'version 1', 'a (1).txt': 'version 2', 'a (2).txt': 'version 3' };
  assert.deepEqual(await bench.contents(task), expected);
  server.answers.set('/a.txt?v=2', 'changed');
  const { connector } = await bench.tasks.get(task);
  await bench.tasks.update(task, { connector: { ...connector, config: { urls: urls.toReversed() } } }, 'erin');
  await bench.run(task);
  assert.deepEqual(await bench.contents(task), { ...expected, 'a (1).txt': 'changed' });
});

test('the path of a URL is decoded, and nothing in it leads elsewhere', () => {
  const paths: Readonly<Record<string, string>> = {
    'http://h/a/b%20c.txt?x=1#y': 'a/b c.txt',
    'http://h/': 'index.html',
    'http://h/a/': 'a/index.html',
    'http://h/a//b': 'a/b',
    'http://h/%E9%AB%98.txt': '高.txt',
    'http://h/%E9%AB.txt': '%E9%AB.txt',
    'http://h/..%2f..%2fetc/passwd': '.._.._etc/passwd',
    'http://h/a%5Cb': 'a_b',
    'http://h/a%00b': 'a_b',
    'http://h/%2e%2e/%2e': 'index.html',
  };
  for (const [url, path] of Object.entries(paths)) assert.equal(pathOfUrl(url), path, url);
  assert.equal(Buffer.byteLength(pathOfUrl(`http://h/${'n'.repeat(400)}.jsonl`)), 255);
  assert.ok(pathOfUrl(`http://h/${'n'.repeat(400)}.jsonl`).endsWith('n.jsonl'));
});

forAnyDatabase('a download that breaks off continues where it was', async (t, open) => {
  const bench = await openCollection(t, { db: await open() });
  const server = await startFileServer(t);
  const content = Buffer.alloc(300_000, 'abcdefghij');
  const etag = etagOf(content);
  server.answers.set('/big.bin', (request, response) => {
    if (request.headers.range === undefined) return breakOff(content, 100_000, { etag })(request, response);
    server.answers.set('/big.bin', content);
    const start = Number(/\d+/.exec(request.headers.range)?.[0]);
    const range = `bytes ${start}-${content.length - 1}/${content.length}`;
    response.writeHead(206, { etag, 'content-range': range }).end(content.subarray(start));
  });
  const task = await bench.task('http-files', { urls: [`${server.url}/big.bin`] });
  assert.equal((await bench.run(task)).status, 'COMPLETED');
  assert.equal((await bench.contents(task))['big.bin'], content.toString());
  assert.equal(server.requests.length, 2);
  assert.equal(server.requests[1]?.headers['if-range'], etag);
});

forAnyDatabase('parts of two versions of a file are never put together', async (t, open) => {
  const bench = await openCollection(t, { db: await open() });
  const server = await startFileServer(t);
  const [old, now] = [Buffer.alloc(200_000, 'old '), Buffer.alloc(200_000, 'new ')];
  let calls = 0;
  server.answers.set('/f', (request, response) => {
    calls += 1;
    if (calls === 1) return breakOff(old, 100_000, { etag: '"old"' })(request, response);
    // A server that ignores If-Range.
    if (request.headers.range !== undefined)
      return void response
        .writeHead(206, { etag: '"new"', 'content-range': `bytes 100000-199999/200000` })
        .end(now.subarray(100_000));
    response.writeHead(200, { etag: '"new"', 'content-length': now.length }).end(now);
  });
  const task = await bench.task('http-files', { urls: [`${server.url}/f`] });
  assert.equal((await bench.run(task)).status, 'COMPLETED');
  assert.equal((await bench.contents(task))['f'], now.toString());
});

forAnyDatabase('compression of the transfer is undone, and its bombs are bounded', async (t, open) => {
  const bench = await openCollection(t, { db: await open() });
  const server = await startFileServer(t);
  const sent: Readonly<Record<string, readonly [encoding: string, body: Buffer]>> = {
    '/gzip.txt': ['gzip', gzipSync('plain')],
    '/br.txt': ['br', brotliCompressSync('plain')],
    '/bomb.txt': ['gzip', gzipSync(Buffer.alloc(5_000_000))],
    '/damaged.txt': ['gzip', Buffer.from('this is no gzip')],
    '/odd.txt': ['zstd', Buffer.from('x')],
  };
  for (const [path, [encoding, body]] of Object.entries(sent))
    server.answers.set(path, (_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding, 'content-length': body.length }).end(body),
    );
  const urls = Object.keys(sent).map((path) => server.url + path);
  const task = await bench.task('http-files', { urls, maxFileBytes: 1_000_000 });
  for (const url of urls.slice(0, 2)) {
    const tested = await bench.sources.test('http-files', { config: { urls: [url] } });
    assert.equal(tested.sample[0]?.['beginning'], 'plain', 'the test button shows what is inside');
  }
  const run = await bench.run(task);
  assert.deepEqual(await bench.contents(task), { 'gzip.txt': 'plain', 'br.txt': 'plain' });
  assert.deepEqual((await bench.verdicts(run)).slice(2), [
    `FAILED ${urls[2]}: the answer unpacks to more than the 1000000 bytes that are allowed`,
    `FAILED ${urls[3]}: the answer says that it is gzip, and can not be unpacked`,
    `FAILED ${urls[4]}: the answer is encoded as zstd, which can not be read`,
  ]);
});

forAnyDatabase('the bytes of a file are what its name says', async (t, open) => {
  const bench = await openCollection(t, { db: await open() });
  const server = await startFileServer(t);
  const text = 'a line of text\n'.repeat(300);
  const packed = gzipSync(text);
  const noise = gzipSync(randomBytes(200_000));
  const sent: readonly (readonly [path: string, encoding: string, body: Buffer, kept: Buffer])[] = [
    ['/own.jsonl.gz', 'gzip', packed, packed],
    ['/old.txt.gz', 'x-gzip', packed, packed],
    ['/upper.TXT.GZ', 'GZIP', packed, packed],
    ['/twice.csv.gz', 'gzip', gzipSync(packed), packed],
    ['/large.tgz', 'gzip', noise, noise],
    ['/large-twice.tar.gz', 'gzip', gzipSync(noise), noise],
    ['/plain.svgz', '', packed, packed],
    ['/page.txt', 'gzip', packed, Buffer.from(text)],
    ['/a.gz.txt', 'gzip', packed, Buffer.from(text)],
    ['/words.br', 'br', brotliCompressSync(text), brotliCompressSync(text)],
    ['/words.zst', 'zstd', zstdCompressSync(text), zstdCompressSync(text)],
    ['/words.bz2', 'gzip', gzipSync('BZh9'), Buffer.from('BZh9')],
    ['/empty.gz', 'gzip', Buffer.alloc(0), Buffer.alloc(0)],
    ['/tiny.gz', 'gzip', gzipSync(''), gzipSync('')],
  ];
  for (const [path, encoding, body] of sent)
    server.answers.set(path, (_request, response) => {
      response.writeHead(200, encoding === '' ? {} : { 'content-encoding': encoding });
      for (let at = 0; at < body.length; at += 700) response.write(body.subarray(at, at + 700));
      response.end();
    });
  const id = await bench.task('http-files', { urls: sent.map(([path]) => server.url + path) });
  const run = await bench.run(id);
  assert.equal(run.counts.kept, sent.length, String(await bench.verdicts(run)));
  for (const [path, , , kept] of sent) assert.ok((await bench.bytes(id, path.slice(1))).equals(kept), path);
});

forAnyDatabase('a part that nobody asked for, and no content, are no file', async (t, open) => {
  const bench = await openCollection(t, { db: await open() });
  const server = await startFileServer(t);
  const part = (range: string | undefined): Answer => {
    return (_request, response) =>
      void response.writeHead(206, range === undefined ? {} : { 'content-range': range }).end('0123456789');
  };
  server.answers
    .set('/part', part('bytes 0-9/120'))
    .set('/later', part('bytes 110-119/120'))
    .set('/open', part('bytes 0-9/*'))
    .set('/nothing-said', part(undefined))
    .set('/other-unit', part('items 0-9/10'))
    .set('/whole', part('bytes 0-9/10'))
    .set('/none', (_request, response) => void response.writeHead(204).end())
    .set('/reset', (_request, response) => void response.writeHead(205).end());
  const urls = [...server.answers.keys()].map((path) => server.url + path);
  const verdicts = await bench.verdicts(await bench.run(await bench.task('http-files', { urls })));
  const said = verdicts.map((each) => each.replaceAll(server.url, '').replaceAll(server.host, 'host'));
  const unasked = 'host sent only a part that was not asked for (206, ';
  assert.deepEqual(said, [
    `FAILED /part: ${unasked}bytes 0-9/120)`,
    `FAILED /later: ${unasked}bytes 110-119/120)`,
    `FAILED /open: ${unasked}bytes 0-9/*)`,
    `FAILED /nothing-said: ${unasked}no Content-Range)`,
    `FAILED /other-unit: ${unasked}items 0-9/10)`,
    'KEPT /whole',
    'FAILED /none: host answered without content (204)',
    'FAILED /reset: host answered without content (205)',
  ]);
});

forAnyDatabase('a redirect keeps the bytes of its address', async (t, open) => {
  const bench = await openCollection(t, { db: await open() });
  const server = await startFileServer(t);
  const targets: readonly (readonly [location: string, asked: string])[] = [
    ['/été.txt', '/%C3%A9t%C3%A9.txt'],
    ['/%C3%A9t%C3%A9.txt', '/%C3%A9t%C3%A9.txt'],
    ['/日本 語.txt', '/%E6%97%A5%E6%9C%AC%20%E8%AA%9E.txt'],
    ['Ünïcode?q=ö', '/%C3%9Cn%C3%AFcode?q=%C3%B6'],
    ['/😀', '/%F0%9F%98%80'],
    ['/plain?a=%26', '/plain?a=%26'],
  ];
  for (const [at, [location]] of targets.entries())
    server.answers.set(`/from${at}`, (_request, response) => {
      response.socket?.end(
        Buffer.from(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`),
      );
    });
  server.answers.set('/latin', (_request, response) => {
    response.socket?.end(
      Buffer.from('HTTP/1.1 302 Found\r\nLocation: /\xe9\r\nContent-Length: 0\r\nConnection: close\r\n\r\n', 'latin1'),
    );
  });
  for (const asked of [...targets.map(([, each]) => each), '/%E9']) server.answers.set(asked, asked);
  const urls = [...targets.map((_target, at) => `${server.url}/from${at}`), `${server.url}/latin`];
  const id = await bench.task('http-files', { urls });
  await bench.run(id);
  const contents = await bench.contents(id);
  for (const [at, [location, asked]] of targets.entries()) assert.equal(contents[`from${at}`], asked, location);
  assert.equal(contents['latin'], '/%E9');
});
