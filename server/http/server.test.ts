// What the server answers: statuses, errors, credentials and limits.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { startHttpService, bearer, json, dataManagement, otherArea } from '../../tests/support/http-service.ts';

test('each refusal has its status and the shape of its prefix', async (t) => {
  const { url } = await startHttpService(t);
  type Case = [
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
    status: number,
    code: string,
  ];
  const cases: Case[] = [
    ['GET', '/things/a', {}, undefined, 401, 'UNAUTHENTICATED'],
    ['GET', '/things/a', bearer('nobody'), undefined, 401, 'UNAUTHENTICATED'],
    ['GET', '/unknown', {}, undefined, 401, 'UNAUTHENTICATED'],
    ['GET', '/unknown', bearer('viewer'), undefined, 404, 'NOT_FOUND'],
    ['PATCH', '/things/a', {}, undefined, 401, 'UNAUTHENTICATED'],
    ['PATCH', '/things/a', bearer('viewer'), undefined, 405, 'METHOD_NOT_ALLOWED'],
    ['POST', '/things', bearer('viewer'), '{"name":1}', 403, 'FORBIDDEN'],
    ['POST', '/things', bearer('editor'), '{"name":1}', 400, 'INVALID_PARAMETER'],
    ['POST', '/things', bearer('editor'), '', 400, 'INVALID_PARAMETER'],
    ['POST', '/things', bearer('editor'), '{', 400, 'INVALID_PARAMETER'],
    [
      'POST',
      '/things',
      { ...bearer('editor'), 'content-type': 'text/plain' },
      '{"name":"x"}',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'POST',
      '/things',
      { ...bearer('editor'), 'content-type': 'nonsense' },
      '{"name":"x"}',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'POST',
      '/things',
      { ...bearer('editor'), 'content-type': 'application/json; charset=latin1' },
      '{"name":"x"}',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['POST', '/things', bearer('editor'), `{"name":"${'x'.repeat(1_048_577)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
    ['POST', '/things', bearer('editor'), `{"name":"${'x'.repeat(9_000_000)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
    ['GET', '/things/%zz', {}, undefined, 401, 'UNAUTHENTICATED'],
    ['GET', '/things/%zz', bearer('viewer'), undefined, 400, 'INVALID_PARAMETER'],
    ['GET', '/things/%ff', bearer('viewer'), undefined, 400, 'INVALID_PARAMETER'],
    ['GET', '/things/a%2Fb', bearer('viewer'), undefined, 400, 'INVALID_PARAMETER'],
    ['GET', `/things/${'x'.repeat(65)}`, bearer('viewer'), undefined, 400, 'INVALID_PARAMETER'],
    ['GET', `/things/${'x'.repeat(5000)}`, bearer('viewer'), undefined, 400, 'INVALID_PARAMETER'],
    ['GET', '/things/gone', bearer('viewer'), undefined, 404, 'THING_NOT_FOUND'],
    ['GET', '/things/busy', bearer('viewer'), undefined, 409, 'THING_BUSY'],
    ['GET', '/things/broken', bearer('viewer'), undefined, 500, 'INTERNAL_ERROR'],
    ['GET', '/things/full', bearer('viewer'), undefined, 507, 'INSUFFICIENT_STORAGE'],
  ];
  for (const [method, path, headers, body, status, code] of cases) {
    const type = body === undefined || 'content-type' in headers ? {} : json;
    for (const prefix of [dataManagement, otherArea]) {
      const answer = await fetch(`${url}${prefix}${path}?secret=1`, {
        method,
        headers: { ...type, ...headers },
        body: body ?? null,
      });
      const what = `${method} ${prefix}${path.slice(0, 40)}`;
      const text = await answer.text();
      const error = JSON.parse(text) as Record<string, unknown>;
      assert.equal(answer.status, status, `${what}: ${text}`);
      assert.equal(error.path, prefix + path, what);
      assert.match(String(error.timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.match(answer.headers.get('x-request-id') ?? '', /./);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(answer.headers.has('www-authenticate'), status === 401, what);
      if (prefix === dataManagement) {
        assert.deepEqual(Object.keys(error), ['error', 'message', 'errorParams', 'timestamp', 'path'], what);
        assert.equal(error.error, code, what);
      } else {
        assert.deepEqual(
          Object.keys(error),
          ['code', 'message', 'error', 'errorCode', 'errorParams', 'timestamp', 'path'],
          what,
        );
        assert.equal(error.code, status);
        assert.equal(error.message, answer.statusText);
      }
      assert.doesNotMatch(text, /select \*|\/srv|node_modules|at .*\.ts/, what);
    }
  }
});

test('a wrong id names its parameter', async (t) => {
  const { url } = await startHttpService(t);
  for (const id of ['%zz', '%ff', 'x'.repeat(65), 'a.b', '%00']) {
    const answer = await fetch(`${url}${dataManagement}/things/${id}`, { headers: bearer('viewer') });
    assert.match(((await answer.json()) as { message: string }).message, /^thingId must /);
  }
});

test('405 names the methods; a public path needs no credential to hear it; outside of the API nothing does', async (t) => {
  const { url } = await startHttpService(t);
  const patched = await fetch(`${url}${dataManagement}/things/a`, { method: 'PATCH', headers: bearer('viewer') });
  assert.equal(patched.headers.get('allow'), 'GET, HEAD, DELETE');
  const opened = await fetch(`${url}${dataManagement}/open`, { method: 'DELETE' });
  assert.deepEqual([opened.status, opened.headers.get('allow')], [405, 'GET, HEAD']);
  const options = await fetch(`${url}${dataManagement}/things/a`, { method: 'OPTIONS', headers: bearer('viewer') });
  assert.equal(options.status, 405);
  assert.equal((await fetch(`${url}/nothing`)).status, 404);
  assert.equal((await fetch(`${url}/page`, { method: 'POST' })).status, 405);
});

test('success: the declared status, only declared fields, the envelope where the area has one', async (t) => {
  const { url } = await startHttpService(t);
  const get = (path: string) => fetch(`${url}${path}`, { headers: bearer('viewer') }).then((answer) => answer.json());
  assert.deepEqual(await get(`${dataManagement}/things/a`), { id: 'a', name: 'a thing' });
  assert.deepEqual(await get(`${otherArea}/things/a`), {
    code: 200,
    message: 'OK',
    data: { id: 'a', name: 'a thing' },
  });

  const post = (prefix: string) =>
    fetch(`${url}${prefix}/things`, {
      method: 'POST',
      headers: { ...bearer('editor'), ...json },
      body: '{"name":"n","x":1}',
    });
  const created = await post(dataManagement);
  assert.deepEqual([created.status, await created.json()], [201, { id: 'editor', name: 'n' }]);
  const wrapped = await post(otherArea);
  assert.deepEqual(
    [wrapped.status, await wrapped.json()],
    [201, { code: 201, message: 'Created', data: { id: 'editor', name: 'n' } }],
  );
  for (const prefix of [dataManagement, otherArea]) {
    const removed = await fetch(`${url}${prefix}/things/a`, { method: 'DELETE', headers: bearer('admin') });
    assert.deepEqual([removed.status, await removed.text(), removed.headers.get('content-type')], [204, '', null]);
  }
});

test('a credential is verified once and then remembered', async (t) => {
  const { url, authenticator } = await startHttpService(t);
  for (let i = 0; i < 5; i++)
    assert.equal((await fetch(`${url}${dataManagement}/things/a`, { headers: bearer('viewer') })).status, 200);
  assert.equal(authenticator.verified, 1);
});

test('which credential decides', async (t) => {
  const { url } = await startHttpService(t);
  const status = async (headers: Record<string, string>, method = 'GET', path = '/things/a') =>
    (
      await fetch(`${url}${dataManagement}${path}`, {
        method,
        headers: { ...json, ...headers },
        ...(method === 'POST' ? { body: '{"name":"n"}' } : {}),
      })
    ).status;
  assert.equal(await status({ 'x-api-key': 'viewer' }), 200);
  assert.equal(
    await status({ 'x-api-key': 'viewer', authorization: 'Bearer wrong' }),
    401,
    'a bad token beside a good key',
  );
  assert.equal(await status({ 'x-api-key': 'wrong', authorization: 'Bearer viewer' }), 200);
  assert.equal(await status({ authorization: 'bearer viewer' }), 200, 'the scheme has no case');
  for (const authorization of ['Basic viewer', 'viewer', 'Bearer', 'Bearer '])
    assert.equal(await status({ authorization, 'x-api-key': 'viewer' }), 401, authorization);

  const cookie = { cookie: 'a=b; tilth_session=editor; c=d' };
  assert.equal(await status(cookie), 200);
  assert.equal(await status({ ...cookie, authorization: 'Bearer wrong' }), 401, 'explicit headers win');
  assert.equal(await status(cookie, 'POST', '/things'), 403, 'no CSRF header');
  assert.equal(await status({ ...cookie, 'x-csrf-token': 'csrf of viewer' }, 'POST', '/things'), 403);
  assert.equal(await status({ ...cookie, 'x-csrf-token': 'csrf of editor' }, 'POST', '/things'), 201);
  assert.equal(await status({ 'x-api-key': 'editor', cookie: 'tilth_session=admin' }, 'POST', '/things'), 201);
});

test('rate limits count per credential, else per address, on every answer, and exactly under concurrency', async (t) => {
  const { url } = await startHttpService(t, { perMinute: 10, cookiePerMinute: 20 });
  const call = (headers: Record<string, string>, path = `${dataManagement}/things/a`) => fetch(url + path, { headers });
  const burst = await Promise.all(Array.from({ length: 25 }, () => call(bearer('viewer'))));
  assert.equal(burst.filter(({ status }) => status === 200).length, 10);
  const refused = burst.filter(({ status }) => status === 429);
  assert.equal(refused.length, 15);
  for (const answer of burst) assert.equal(answer.headers.get('x-ratelimit-limit'), '10');
  const remaining = burst
    .filter(({ status }) => status === 200)
    .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  assert.deepEqual(
    remaining.sort((a, b) => a - b),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
  const first = refused[0] ?? assert.fail();
  const wait = Number(first.headers.get('retry-after'));
  assert.ok(wait >= 1 && wait <= 60);
  const reset = Number(first.headers.get('x-ratelimit-reset'));
  assert.ok(Math.abs(reset - (Date.now() / 1000 + wait)) <= 2);
  assert.equal(((await first.json()) as { error: string }).error, 'RATE_LIMIT_EXCEEDED');

  assert.equal((await call(bearer('editor'))).status, 200, 'another credential');
  assert.equal((await call({ cookie: 'tilth_session=viewer' })).headers.get('x-ratelimit-limit'), '20');
  assert.equal(
    (await call(bearer('nobody'))).headers.get('x-ratelimit-remaining'),
    '9',
    'a bad credential counts by address',
  );
  assert.equal((await call({})).headers.get('x-ratelimit-remaining'), '8');
  const unknown = await call({}, `${otherArea}/unknown`);
  assert.deepEqual([unknown.status, unknown.headers.get('x-ratelimit-remaining')], [401, '7']);
  for (let i = 0; i < 7; i++) await call({});
  assert.equal((await call({})).status, 429, 'the limit comes before the credential');
  assert.equal((await call({}, '/page')).headers.has('x-ratelimit-limit'), false, 'pages are not counted');
  assert.equal((await call({}, `${dataManagement}/open`)).status, 429, 'public calls of the API are');
});

test('a deferred route counts only what its handler charges', async (t) => {
  const { url } = await startHttpService(t, { perMinute: 2 });
  const call = (headers: Record<string, string> = {}) =>
    fetch(`${url}${dataManagement}/deferred`, { method: 'POST', headers: { ...bearer('editor'), ...headers } });
  for (let i = 0; i < 5; i++) {
    const answer = await call();
    assert.deepEqual([answer.status, answer.headers.get('x-ratelimit-remaining')], [200, '2']);
  }
  const charged = await call({ 'x-charge': 'yes' });
  assert.deepEqual([charged.status, charged.headers.get('x-ratelimit-remaining')], [200, '1']);
  await call({ 'x-charge': 'yes' });
  const refused = await call({ 'x-charge': 'yes' });
  assert.deepEqual([refused.status, refused.headers.get('x-ratelimit-remaining')], [429, '0']);
  assert.ok(refused.headers.has('retry-after'));
  assert.equal((await call()).status, 200, 'what is not charged goes on');
  assert.equal((await call({ authorization: 'Bearer wrong' })).headers.get('x-ratelimit-remaining'), '1');
});

test('a streamed body has no size limit and no parser', async (t) => {
  const { url } = await startHttpService(t);
  const piece = Buffer.alloc(1024 * 1024, 'x');
  for (const type of ['application/json', 'multipart/form-data; boundary=x', 'x/y', undefined]) {
    const answer = await fetch(`${url}${dataManagement}/streams`, {
      method: 'POST',
      headers: { ...bearer('editor'), ...(type === undefined ? {} : { 'content-type': type }) },
      body: Readable.toWeb(Readable.from([piece, piece, piece])) as ReadableStream,
      duplex: 'half',
    });
    assert.deepEqual([answer.status, await answer.json()], [200, { bytes: 3 * piece.length }], type);
  }
});

test('a route that does not state its access refuses to start', async (t) => {
  await assert.rejects(
    startHttpService(t, {}, ({ addArea }) =>
      addArea('/bad', (app) => void app.get('/', { schema: {} }, async () => 1)),
    ),
    /GET \/api\/v1\/bad does not state its access/,
  );
});

test('bytes that are no HTTP request get a clean answer', async (t) => {
  const { url } = await startHttpService(t);
  const { port } = new URL(url);
  const answers: string[] = [];
  for (const bytes of ['NONSENSE\r\n\r\n', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`]) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.setEncoding('latin1').write(bytes);
    let text = '';
    for await (const part of socket) text += part;
    answers.push(text);
  }
  assert.match(answers[0] ?? '', /^HTTP\/1\.1 400 Bad Request\r\n[^]*\r\n\r\n\{"code":400,/);
  assert.match(answers[1] ?? '', /^HTTP\/1\.1 431 [^]*\r\n\r\n\{"code":431,/);
});
