import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedCollection } from '../../tests/support/collection.ts';
import { startFileServer } from '../../tests/fakes/file-server.ts';
import { cursor, pagedApis, pagedRecords } from '../../tests/fakes/paged-apis.ts';

const shared = sharedCollection();

test('the pages of well-known APIs are read to their end', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  for (const { name, path, config, answer } of pagedApis) {
    const home = server.url + path;
    const { get } = server.answers;
    server.answers.get = (url) => {
      const { pathname, searchParams } = new URL(url, home);
      if (pathname !== path) return undefined;
      const { body, link, status = 200 } = answer(searchParams, home);
      return (_request, response) =>
        response
          .writeHead(status, link === undefined ? {} : { link })
          .end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    const id = await bench.task('http-api', { url: home, fileName: 'rows', ...config });
    const run = await bench.run(id);
    server.answers.get = get;
    assert.equal(run.status, 'COMPLETED', `${name}: ${run.error}`);
    const text = (await bench.contents(id))['rows.jsonl'] ?? '';
    assert.equal(text, pagedRecords.map((record) => `${JSON.stringify(record)}\n`).join(''), name);
    const doubts = (await bench.logs(run)).filter((line) => line.includes('page'));
    assert.deepEqual(doubts, [], name);
  }
});

test('a first page without what names the next one is told, and so is a next one without paging', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  server.answers
    .set('/x', '{"items":[{"id":1}],"next":"/x?page=2"}')
    .set('/linked', (_request, response) =>
      response.writeHead(200, { link: '</linked?2>; rel="next"' }).end('[{"id":1}]'),
    );
  const cases: readonly (readonly [config: { url: string; paging?: object; recordsPath?: string }, told: RegExp])[] = [
    [{ url: '/x', paging: cursor('c', 'nxt'), recordsPath: 'items' }, /No answer has anything at nxt/],
    [{ url: '/x', paging: cursor('c', 'next.after'), recordsPath: 'items' }, /anything at next\.after/],
    [{ url: '/x', paging: { type: 'LINK' }, recordsPath: 'items' }, /No answer has a Link header/],
    [{ url: '/linked' }, /names a next page, \/linked\?2, which is not read/],
  ];
  for (const [{ url, ...rest }, told] of cases) {
    const config = { url: server.url + url, ...rest };
    const run = await bench.run(await bench.task('http-api', config));
    assert.equal(run.status, 'COMPLETED', run.error ?? '');
    assert.match((await bench.logs(run)).join('\n'), told);
    assert.match((await bench.sources.test('http-api', { config })).message, told);
  }
});

test('what a cursor is can be said, and a path that is none is refused', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  server.answers
    .set('/x', '{"items":[{"id":1}],"next":"page2"}')
    .set('/page2', '{"items":[{"id":2}]}')
    .set('/y', '{"items":[{"id":1}],"next":"/y?a=1"}')
    .set('/y?c=%2Fy%3Fa%3D1', '{"items":[{"id":2}]}');
  for (const [url, cursorType] of [
    ['/x', 'URL'],
    ['/y', 'VALUE'],
  ] as const) {
    const paging = { ...cursor('c', 'next'), cursorType };
    const id = await bench.task('http-api', { url: server.url + url, recordsPath: 'items', paging });
    assert.equal((await bench.run(id)).counts.kept, 2, url);
  }
  const wrong = { url: server.url, paging: cursor('c', 'a["b') };
  await assert.rejects(bench.task('http-api', wrong), /is not a path/);
  await assert.rejects(bench.task('http-api', { url: server.url, recordsPath: 'a[' }), /is not a path/);
});

test('a part of the bytes is no page', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  server.answers.set('/x', (_request, response) =>
    response.writeHead(206, { 'content-range': 'bytes 0-9/120' }).end('[{"id":1}]'),
  );
  const run = await bench.run(await bench.task('http-api', { url: `${server.url}/x` }));
  assert.match(run.error ?? '', /sent only a part that was not asked for \(206, bytes 0-9\/120\)/);
});
