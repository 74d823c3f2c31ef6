import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openCollection, sharedCollection } from '../../tests/support/collection.ts';
import { startFileServer, type Answer } from '../../tests/fakes/file-server.ts';

const shared = sharedCollection();

const json =
  (body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

const lines = (...records: unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

test('pages by number, offset, cursor and Link header are read to their end', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  const [a, b, c] = [{ id: 1 }, { id: 2 }, { id: 3 }];
  server.answers
    .set('/page?p=1&n=2', json({ data: { items: [a, b] } }))
    .set('/page?p=2&n=2', json({ data: { items: [c] } }))
    // Only an empty or missing page is the end: a short one may be due to the server's own limit.
    .set('/offset?skip=0', json([a, b]))
    .set('/offset?skip=2', json([c]))
    .set('/offset?skip=3', json([]))
    .set('/cursor', json({ items: [a], next: 'x y' }))
    .set('/cursor?after=x+y', json({ items: [b], next: `${server.url}/cursor?after=z` }))
    .set('/cursor?after=z', json({ items: [c], next: null }))
    .set('/link', json([a, b], { link: '</other>; rel="prev", </link?2>; rel="next"' }))
    .set('/link?2', json([c]));
  const cases: readonly (readonly [path: string, config: object])[] = [
    ['/page', { recordsPath: 'data.items', paging: { type: 'PAGE', pageParam: 'p', sizeParam: 'n', size: 2 } }],
    ['/offset', { paging: { type: 'OFFSET', offsetParam: 'skip' } }],
    ['/cursor', { recordsPath: 'items', paging: { type: 'CURSOR', cursorParam: 'after', cursorPath: 'next' } }],
    ['/link', { paging: { type: 'LINK' } }],
  ];
  for (const [path, config] of cases) {
    const id = await bench.task('http-api', { url: server.url + path, ...config });
    const run = await bench.run(id);
    assert.equal(run.status, 'COMPLETED', `${path}: ${run.error}`);
    assert.equal(run.counts.kept, 3);
    assert.deepEqual(await bench.contents(id), { [`${path.slice(1)}.jsonl`]: lines(a, b, c) });
    assert.deepEqual([(await bench.run(id)).counts.dropped, await bench.version(id)], [3, 2]);
  }
});

test('a refusal of the page after the last one is the end, by its status; of an earlier one it is an error', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  const refusing =
    (status: number): Answer =>
    (_request, response) =>
      response.writeHead(status).end('no such page (404)');
  for (const [status, isEnd, isTold] of [
    [404, true, false],
    [400, true, true],
    [422, true, true],
    [416, true, true],
    [403, false, false],
    [410, false, false],
    [401, false, false],
  ] as const)
    for (const [param, paging] of [
      ['p', { type: 'PAGE', pageParam: 'p' }],
      ['o', { type: 'OFFSET', offsetParam: 'o' }],
    ] as const) {
      const path = `/${param}/${status}`;
      const first = param === 'p' ? 1 : 0;
      for (const page of [0, 1, 2]) {
        const at = first + page * (param === 'p' ? 1 : 2);
        server.answers.set(
          `${path}?${param}=${at}`,
          json([
            { page, n: 1 },
            { page, n: 2 },
          ]),
        );
      }
      server.answers.set(`${path}?${param}=${param === 'p' ? 4 : 6}`, refusing(status));
      server.answers.set(`${path}/none?${param}=${first}`, refusing(status));
      const run = await bench.run(await bench.task('http-api', { url: server.url + path, paging }));
      assert.deepEqual([run.status, run.counts.kept], isEnd ? ['COMPLETED', 6] : ['FAILED', 0], `${path} ${run.error}`);
      const logged = (await bench.logs(run)).filter((line) => line.includes('was read as the end'));
      assert.equal(logged.length, isTold ? 1 : 0, path);
      const none = await bench.run(await bench.task('http-api', { url: `${server.url}${path}/none`, paging }));
      assert.equal(none.status, 'FAILED', 'the first page must be there');
    }
  server.answers.set('/next', json([1], { link: '</gone>; rel="next"' }));
  const linked = await bench.run(await bench.task('http-api', { url: `${server.url}/next`, paging: { type: 'LINK' } }));
  assert.equal(linked.status, 'FAILED', 'a page that the API names itself must be there');
});

test('paging that repeats itself ends the run with a cause, and lands nothing', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  server.answers
    .set('/same?p=1', json([{ id: 1 }]))
    .set('/same?p=2', json([{ id: 1 }]))
    .set('/circle', json([{ id: 1 }], { link: '</circle?2>; rel=next' }))
    .set('/circle?2', json([{ id: 2 }], { link: '</circle>; rel=next' }))
    .set('/away', json([{ id: 1 }], { link: '<http://other.example/>; rel=next' }));
  const cases: readonly (readonly [path: string, paging: object, error: RegExp])[] = [
    ['/same', { type: 'PAGE', pageParam: 'p' }, /paging repeats itself: page 2 has the same records/],
    ['/circle', { type: 'LINK' }, /paging repeats itself: page 3 is http:.*\/circle again/],
    ['/away', { type: 'LINK' }, /page 2 is at http:\/\/other\.example, which credentials/],
  ];
  for (const [path, paging, error] of cases) {
    const id = await bench.task('http-api', { url: server.url + path, paging });
    const run = await bench.run(id);
    assert.equal(run.status, 'FAILED');
    assert.match(run.error ?? '', error);
    assert.deepEqual(await bench.contents(id), {});
  }
});

test('numbers keep their digits, and records that are no objects become rows', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  const text = '[{"id":9007199254740993,"x":0.1234567890123456789,"y":1e400,"z":[1.50]},"text",5]';
  server.answers.set('/n', text);
  const id = await bench.task('http-api', { url: `${server.url}/n` });
  await bench.run(id);
  assert.equal(
    (await bench.contents(id))['n.jsonl'],
    '{"id":9007199254740993,"x":0.1234567890123456789,"y":1e400,"z":[1.50]}\n{"value":"text"}\n{"value":5}\n',
  );
});

test('busy servers are asked again as they wish; others fail with what they said', async (t) => {
  const pauses: number[] = [];
  const bench = await openCollection(t, { pause: async (ms) => void pauses.push(ms) });
  const server = await startFileServer(t);
  let calls = 0;
  server.answers.set('/busy', (request, response) => {
    calls += 1;
    if (calls === 1) return void response.writeHead(429, { 'retry-after': '7' }).end();
    if (calls === 2) return void response.writeHead(503).end();
    json([{ id: 1 }])(request, response);
  });
  const id = await bench.task('http-api', { url: `${server.url}/busy` });
  assert.equal((await bench.run(id)).counts.kept, 1);
  assert.deepEqual(pauses, [7000, 1000]);
  server.answers
    .set('/html', '<html>')
    .set('/object', json({ rows: [], total: 0 }))
    .set('/path', json({ data: { rows: 1 } }))
    .set('/hours', (_request, response) => void response.writeHead(429, { 'retry-after': '7200' }).end());
  const cases: readonly (readonly [config: { url: string; recordsPath?: string }, error: RegExp])[] = [
    [{ url: '/html' }, /answered with what is no JSON \(no type\): <html>/],
    [{ url: '/object' }, /is no list; set recordsPath to where it is; it has rows, total/],
    [{ url: '/path', recordsPath: 'data.rows' }, /has no list at data\.rows; it has data/],
    [{ url: '/hours' }, /asks to wait 7200 s \(429\)/],
    [{ url: '/gone' }, /nothing at this address \(404\)/],
  ];
  for (const [{ url, ...rest }, error] of cases) {
    const run = await bench.run(await bench.task('http-api', { url: server.url + url, ...rest }));
    assert.equal(run.status, 'FAILED');
    assert.match(run.error ?? '', error);
  }
});

test('an answer that the server compressed is read, and its sample is cut', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  const body = gzipSync(JSON.stringify([{ id: 1, text: 'x'.repeat(5000) }]).replace('1', '9223372036854775807'));
  server.answers.set('/z', (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length }).end(body),
  );
  const config = { url: `${server.url}/z` };
  const { sample } = await bench.sources.test('http-api', { config });
  assert.deepEqual(sample, [{ id: '9223372036854775807', text: `${'x'.repeat(1000)}…` }]);
  const run = await bench.run(await bench.task('http-api', config));
  assert.deepEqual([run.status, run.counts.kept], ['COMPLETED', 1], run.error ?? '');
});

test('an answer over its limit fails with what to do, packed or not', async (t) => {
  const bench = await shared();
  const server = await startFileServer(t);
  const body = JSON.stringify([{ text: 'x'.repeat(3000) }]);
  server.answers
    .set('/plain', (_request, response) => response.writeHead(200).end(body))
    .set('/packed', (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body)),
    );
  for (const path of ['/plain', '/packed']) {
    const run = await bench.run(await bench.task('http-api', { url: server.url + path, maxAnswerBytes: 2000 }));
    const host = new URL(server.url).host;
    const [failed] = await bench.verdicts(run);
    const why = `the answer of ${host} has more than 2000 bytes; ask for fewer records at once, or raise maxAnswerBytes`;
    assert.ok(`${run.error ?? ''} ${failed ?? ''}`.includes(why), `${path}: ${run.error} ${failed}`);
  }
});
