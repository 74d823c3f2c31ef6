import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { Type } from '@fastify/type-provider-typebox';
import { pino } from 'pino';
import { systemClock } from '../kernel/clock.ts';
import { defineErrors, errors } from '../kernel/errors.ts';
import type { Principal, Role } from '../kernel/principal.ts';
import { createRateLimits } from '../kernel/rate-limits.ts';
import { callerGone } from './caller-gone.ts';
import type { Authenticator, Credential } from './credentials.ts';
import { createMetrics } from './metrics.ts';
import type { AreaRoutes } from './routes.ts';
import { IdSchema, named, NoContent } from './schemas.ts';
import { createHttpServer, type HttpServer } from './server.ts';

const roles: Readonly<Record<string, Role>> = { viewer: 'VIEWER', editor: 'EDITOR', admin: 'ADMIN' };

/** Accepts three secrets, one per role; `verified` counts slow verifications. */
function fakeAuthenticator(): Authenticator & { verified: number } {
  const seen = new Set<string>();
  const principalOf = ({ via, secret }: Credential): Principal | undefined => {
    const role = roles[secret];
    return role && { userId: secret, username: secret, role, credentialId: `${via}:${secret}`, via };
  };
  return {
    verified: 0,
    recall: (credential) => (seen.has(credential.secret) ? principalOf(credential) : undefined),
    async verify(credential) {
      this.verified++;
      if (principalOf(credential) !== undefined) seen.add(credential.secret);
      return principalOf(credential);
    },
    csrfToken: (secret) => `csrf of ${secret}`,
  };
}

const areaErrors = defineErrors('server test', {
  THING_NOT_FOUND: ['not-found', 'Thing {id} does not exist'],
  THING_BUSY: ['conflict', 'Thing {id} is busy'],
});

const Thing = named('Thing', Type.Object({ id: Type.String(), name: Type.String() }));

const things: AreaRoutes = (app) => {
  app.get(
    '/things/:thingId',
    { config: { access: 'VIEWER' }, schema: { params: Type.Object({ thingId: IdSchema }), response: { 200: Thing } } },
    async ({ params: { thingId: id } }) => {
      if (id === 'gone') throw areaErrors.THING_NOT_FOUND({ id });
      if (id === 'busy') throw areaErrors.THING_BUSY({ id });
      if (id === 'broken') throw new TypeError('select * from secrets in /srv/data');
      if (id === 'full')
        throw new Error('write failed', { cause: Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }) });
      return { id, name: 'a thing', secret: 'not in the schema' };
    },
  );
  app.post(
    '/things',
    { config: { access: 'EDITOR' }, schema: { body: Type.Object({ name: Type.String() }), response: { 201: Thing } } },
    async (request) => ({ id: request.principal.userId, name: request.body.name }),
  );
  app.delete(
    '/things/:thingId',
    {
      config: { access: 'ADMIN' },
      schema: { params: Type.Object({ thingId: IdSchema }), response: { 204: NoContent } },
    },
    async () => null,
  );
  app.post('/streams', { config: { access: 'EDITOR', body: 'stream' } }, async (request) => {
    let bytes = 0;
    for await (const part of request.raw as AsyncIterable<Buffer>) bytes += part.length;
    return { bytes };
  });
  app.post('/deferred', { config: { access: 'EDITOR', rateLimit: 'deferred' } }, async (request) => {
    if (request.headers['x-charge'] === 'yes') request.chargeRateLimit();
    return { charged: request.headers['x-charge'] === 'yes' };
  });
  app.get('/open', { config: { access: 'PUBLIC' } }, async () => ({ open: true }));
};

type Started = HttpServer & {
  url: string;
  lines: Record<string, unknown>[];
  authenticator: Authenticator & { verified: number };
};

async function start(
  t: TestContext,
  limits: { perMinute?: number; cookiePerMinute?: number } = {},
  register: (server: HttpServer) => void = () => {},
): Promise<Started> {
  const times = { monotonicMs: () => performance.now(), wallMs: () => Date.now() };
  const lines: Record<string, unknown>[] = [];
  const authenticator = fakeAuthenticator();
  const server = createHttpServer({
    authenticator,
    limits: createRateLimits({ windows: [{ limit: limits.perMinute ?? 0, spanMs: 60_000 }], ...times }),
    cookieLimits: createRateLimits({ windows: [{ limit: limits.cookiePerMinute ?? 0, spanMs: 60_000 }], ...times }),
    metrics: createMetrics(),
    logger: pino(
      { base: null },
      { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    ),
    clock: systemClock,
    translateError: (error) =>
      error instanceof Error && (error.cause as { code?: string } | undefined)?.code === 'ENOSPC'
        ? errors.INSUFFICIENT_STORAGE()
        : undefined,
  });
  server.addArea('/data-management', things);
  server.addArea('/other', things, { envelope: true });
  server.app.get('/page', { config: { access: 'PUBLIC' } }, async () => 'hello');
  register(server);
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => server.close(100));
  return {
    ...server,
    url: `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`,
    lines,
    authenticator,
  };
}

const as = (secret: string) => ({ authorization: `Bearer ${secret}` });
const json = { 'content-type': 'application/json' };
const dm = '/api/v1/data-management';
const other = '/api/v1/other';

test('each refusal has its status and the shape of its prefix', async (t) => {
  const { url } = await start(t);
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
    ['GET', '/things/a', as('nobody'), undefined, 401, 'UNAUTHENTICATED'],
    ['GET', '/unknown', {}, undefined, 401, 'UNAUTHENTICATED'],
    ['GET', '/unknown', as('viewer'), undefined, 404, 'NOT_FOUND'],
    ['PATCH', '/things/a', {}, undefined, 401, 'UNAUTHENTICATED'],
    ['PATCH', '/things/a', as('viewer'), undefined, 405, 'METHOD_NOT_ALLOWED'],
    ['POST', '/things', as('viewer'), '{"name":1}', 403, 'FORBIDDEN'],
    ['POST', '/things', as('editor'), '{"name":1}', 400, 'INVALID_PARAMETER'],
    ['POST', '/things', as('editor'), '', 400, 'INVALID_PARAMETER'],
    ['POST', '/things', as('editor'), '{', 400, 'INVALID_PARAMETER'],
    [
      'POST',
      '/things',
      { ...as('editor'), 'content-type': 'text/plain' },
      '{"name":"x"}',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['POST', '/things', { ...as('editor'), 'content-type': 'nonsense' }, '{"name":"x"}', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'POST',
      '/things',
      { ...as('editor'), 'content-type': 'application/json; charset=latin1' },
      '{"name":"x"}',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['POST', '/things', as('editor'), `{"name":"${'x'.repeat(1_048_577)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
    ['POST', '/things', as('editor'), `{"name":"${'x'.repeat(9_000_000)}"}`, 413, 'PAYLOAD_TOO_LARGE'],
    ['GET', '/things/%zz', {}, undefined, 401, 'UNAUTHENTICATED'],
    ['GET', '/things/%zz', as('viewer'), undefined, 400, 'INVALID_PARAMETER'],
    ['GET', '/things/%ff', as('viewer'), undefined, 400, 'INVALID_PARAMETER'],
    ['GET', '/things/a%2Fb', as('viewer'), undefined, 400, 'INVALID_PARAMETER'],
    ['GET', `/things/${'x'.repeat(65)}`, as('viewer'), undefined, 400, 'INVALID_PARAMETER'],
    ['GET', `/things/${'x'.repeat(5000)}`, as('viewer'), undefined, 400, 'INVALID_PARAMETER'],
    ['GET', '/things/gone', as('viewer'), undefined, 404, 'THING_NOT_FOUND'],
    ['GET', '/things/busy', as('viewer'), undefined, 409, 'THING_BUSY'],
    ['GET', '/things/broken', as('viewer'), undefined, 500, 'INTERNAL_ERROR'],
    ['GET', '/things/full', as('viewer'), undefined, 507, 'INSUFFICIENT_STORAGE'],
  ];
  for (const [method, path, headers, body, status, code] of cases) {
    const type = body === undefined || 'content-type' in headers ? {} : json;
    for (const prefix of [dm, other]) {
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
      if (prefix === dm) {
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
  const { url } = await start(t);
  for (const id of ['%zz', '%ff', 'x'.repeat(65), 'a.b', '%00']) {
    const answer = await fetch(`${url}${dm}/things/${id}`, { headers: as('viewer') });
    assert.match(((await answer.json()) as { message: string }).message, /^thingId must /);
  }
});

test('405 names the methods; a public path needs no credential to hear it; outside of the API nothing does', async (t) => {
  const { url } = await start(t);
  const patched = await fetch(`${url}${dm}/things/a`, { method: 'PATCH', headers: as('viewer') });
  assert.equal(patched.headers.get('allow'), 'GET, HEAD, DELETE');
  const opened = await fetch(`${url}${dm}/open`, { method: 'DELETE' });
  assert.deepEqual([opened.status, opened.headers.get('allow')], [405, 'GET, HEAD']);
  const options = await fetch(`${url}${dm}/things/a`, { method: 'OPTIONS', headers: as('viewer') });
  assert.equal(options.status, 405);
  assert.equal((await fetch(`${url}/nothing`)).status, 404);
  assert.equal((await fetch(`${url}/page`, { method: 'POST' })).status, 405);
});

test('success: the declared status, only declared fields, the envelope where the area has one', async (t) => {
  const { url } = await start(t);
  const get = (path: string) => fetch(`${url}${path}`, { headers: as('viewer') }).then((answer) => answer.json());
  assert.deepEqual(await get(`${dm}/things/a`), { id: 'a', name: 'a thing' });
  assert.deepEqual(await get(`${other}/things/a`), { code: 200, message: 'OK', data: { id: 'a', name: 'a thing' } });

  const post = (prefix: string) =>
    fetch(`${url}${prefix}/things`, {
      method: 'POST',
      headers: { ...as('editor'), ...json },
      body: '{"name":"n","x":1}',
    });
  const created = await post(dm);
  assert.deepEqual([created.status, await created.json()], [201, { id: 'editor', name: 'n' }]);
  const wrapped = await post(other);
  assert.deepEqual(
    [wrapped.status, await wrapped.json()],
    [201, { code: 201, message: 'Created', data: { id: 'editor', name: 'n' } }],
  );
  for (const prefix of [dm, other]) {
    const removed = await fetch(`${url}${prefix}/things/a`, { method: 'DELETE', headers: as('admin') });
    assert.deepEqual([removed.status, await removed.text(), removed.headers.get('content-type')], [204, '', null]);
  }
});

test('a credential is verified once and then remembered', async (t) => {
  const { url, authenticator } = await start(t);
  for (let i = 0; i < 5; i++)
    assert.equal((await fetch(`${url}${dm}/things/a`, { headers: as('viewer') })).status, 200);
  assert.equal(authenticator.verified, 1);
});

test('which credential decides', async (t) => {
  const { url } = await start(t);
  const status = async (headers: Record<string, string>, method = 'GET', path = '/things/a') =>
    (
      await fetch(`${url}${dm}${path}`, {
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
  const { url } = await start(t, { perMinute: 10, cookiePerMinute: 20 });
  const call = (headers: Record<string, string>, path = `${dm}/things/a`) => fetch(url + path, { headers });
  const burst = await Promise.all(Array.from({ length: 25 }, () => call(as('viewer'))));
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

  assert.equal((await call(as('editor'))).status, 200, 'another credential');
  assert.equal((await call({ cookie: 'tilth_session=viewer' })).headers.get('x-ratelimit-limit'), '20');
  assert.equal(
    (await call(as('nobody'))).headers.get('x-ratelimit-remaining'),
    '9',
    'a bad credential counts by address',
  );
  assert.equal((await call({})).headers.get('x-ratelimit-remaining'), '8');
  const unknown = await call({}, `${other}/unknown`);
  assert.deepEqual([unknown.status, unknown.headers.get('x-ratelimit-remaining')], [401, '7']);
  for (let i = 0; i < 7; i++) await call({});
  assert.equal((await call({})).status, 429, 'the limit comes before the credential');
  assert.equal((await call({}, '/page')).headers.has('x-ratelimit-limit'), false, 'pages are not counted');
  assert.equal((await call({}, `${dm}/open`)).status, 429, 'public calls of the API are');
});

test('a deferred route counts only what its handler charges', async (t) => {
  const { url } = await start(t, { perMinute: 2 });
  const call = (headers: Record<string, string> = {}) =>
    fetch(`${url}${dm}/deferred`, { method: 'POST', headers: { ...as('editor'), ...headers } });
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
  const { url } = await start(t);
  const piece = Buffer.alloc(1024 * 1024, 'x');
  for (const type of ['application/json', 'multipart/form-data; boundary=x', 'x/y', undefined]) {
    const answer = await fetch(`${url}${dm}/streams`, {
      method: 'POST',
      headers: { ...as('editor'), ...(type === undefined ? {} : { 'content-type': type }) },
      body: Readable.toWeb(Readable.from([piece, piece, piece])) as ReadableStream,
      duplex: 'half',
    });
    assert.deepEqual([answer.status, await answer.json()], [200, { bytes: 3 * piece.length }], type);
  }
});

test('bytes that are no HTTP request get a clean answer', async (t) => {
  const { url } = await start(t);
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

test('closing: calls in flight end, new ones hear 503', async (t) => {
  const release = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const server = await start(t, {}, ({ addArea }) => {
    addArea('/slow', (app) => {
      app.get('/', { config: { access: 'PUBLIC' } }, async () => {
        entered.resolve();
        await release.promise;
        return { done: true };
      });
    });
  });
  const { port } = new URL(server.url);
  const waiting = connect(Number(port), '127.0.0.1');
  await once(waiting, 'connect');
  // A request that has begun to arrive keeps its connection while the server closes.
  waiting.write(`GET ${dm}/things/a HTTP/1.1\r\n`);
  const inFlight = fetch(`${server.url}/api/v1/slow`);
  await entered.promise;
  const closed = server.close(5_000);
  waiting.write('Host: x\r\nAuthorization: Bearer viewer\r\n\r\n');
  const [answer] = (await once(waiting, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 503 /);
  assert.match(answer.toString(), /"error":"UNAVAILABLE"/);
  release.resolve();
  assert.deepEqual(await (await inFlight).json(), { done: true });
  await closed;
});

test('closing cuts what does not end in time', async (t) => {
  const entered = Promise.withResolvers<void>();
  const server = await start(t, {}, ({ addArea }) => {
    addArea('/stuck', (app) => {
      app.get('/', { config: { access: 'PUBLIC' } }, () => {
        entered.resolve();
        return new Promise(() => {});
      });
    });
  });
  const stuck = fetch(`${server.url}/api/v1/stuck`);
  await entered.promise;
  await Promise.all([assert.rejects(stuck), server.close(50)]);
});

test('the log has one line a request, without queries and credentials', async (t) => {
  const { url, lines } = await start(t);
  await fetch(`${url}${dm}/things/a?token=SECRET-QUERY`, {
    headers: { ...as('viewer'), cookie: 'tilth_session=SECRET-COOKIE' },
  });
  await fetch(`${url}${dm}/things/a`, { headers: { 'x-api-key': 'SECRET-KEY', authorization: 'Bearer SECRET-TOKEN' } });
  await fetch(`${url}${dm}/things/broken`, { headers: as('viewer') });
  const requests = lines.filter(({ msg }) => msg === 'request');
  assert.deepEqual(
    requests.map(({ method, route, path, status, user }) => ({ method, route, path, status, user })),
    [
      { method: 'GET', route: `${dm}/things/:thingId`, path: `${dm}/things/a`, status: 200, user: 'viewer' },
      { method: 'GET', route: `${dm}/things/:thingId`, path: `${dm}/things/a`, status: 401, user: undefined },
      { method: 'GET', route: `${dm}/things/:thingId`, path: `${dm}/things/broken`, status: 500, user: 'viewer' },
    ],
  );
  for (const { requestId, durationMs } of requests) assert.ok(typeof requestId === 'string' && Number(durationMs) > 0);
  const failure = lines.find(({ msg }) => msg === 'a call failed unexpectedly');
  assert.equal(failure?.requestId, requests[2]?.requestId);
  assert.match(JSON.stringify(failure), /select \* from secrets/, 'the log has the cause');
  assert.doesNotMatch(JSON.stringify(lines), /SECRET/);
});

test('a caller that goes is no failure of the service', async (t) => {
  const begun = Promise.withResolvers<void>();
  const { url, lines } = await start(t, {}, ({ app }) => {
    app.get('/slow', { config: { access: 'PUBLIC' } }, async (_request, reply) => {
      const gone = callerGone(reply);
      begun.resolve();
      await setTimeout(60_000, undefined, { signal: gone });
      return 'nobody waits';
    });
  });
  const leaving = new AbortController();
  const call = fetch(`${url}/slow`, { signal: leaving.signal });
  await begun.promise;
  leaving.abort();
  await assert.rejects(call);
  while (!lines.some(({ msg }) => msg === 'the caller went before its answer was there')) await setTimeout(10);
  assert.ok(lines.every(({ level }) => Number(level) < 50));
});

test('a route that does not state its access refuses to start', async (t) => {
  await assert.rejects(
    start(t, {}, ({ addArea }) => addArea('/bad', (app) => void app.get('/', { schema: {} }, async () => 1))),
    /GET \/api\/v1\/bad does not state its access/,
  );
});

test('a client that goes away within its body is told of as one line, not as a failure of the service', async (t) => {
  const { url, lines } = await start(t);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST ${other}/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer editor\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na`,
  );
  await setTimeout(100);
  socket.destroy();
  for (let tries = 0; lines.length === 0 && tries < 100; tries++) await setTimeout(20);
  await setTimeout(50);
  assert.deepEqual(
    lines.map(({ level, status, msg }) => [level, status, msg]),
    [[30, 499, 'request aborted by the client']],
  );
});
