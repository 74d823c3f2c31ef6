// Runs in a process of its own: what it sets of the environment, the tools for HTTP read once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveHttp, serveRaw, openOutgoing, ways, failureOf } from '../../tests/support/outgoing.ts';
import { parseDestination } from '../kernel/destination.ts';
import { createOutgoing, type FetchOptions, type OutgoingError } from './index.ts';

test('a call goes out and its answer comes back', async (t) => {
  const url = await serveHttp(t, (request, response) => {
    const parts: Buffer[] = [];
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        response.writeHead(201, { 'x-one': 'yes', 'set-cookie': ['a=1', 'b=2'] });
        const { method, headers } = request;
        response.end(JSON.stringify({ method, headers, url: request.url, body: Buffer.concat(parts).toString() }));
      });
  });
  const outgoing = openOutgoing(t);
  const { fetch } = outgoing;
  for (const [, way] of ways) {
    const answer = await way(outgoing)(`${url}/a?b=1`, {
      method: 'POST',
      body: 'hej',
      headers: new Headers({ 'X-Two': 'ja' }),
    });
    assert.deepEqual([answer.status, answer.ok, answer.headers.get('x-one')], [201, true, 'yes']);
    assert.deepEqual(answer.headers.getSetCookie(), ['a=1', 'b=2']);
    const { method, headers, url: path, body } = (await answer.json()) as Record<string, Record<string, string>>;
    assert.deepEqual(
      [method, headers?.['x-two'], headers?.['cookie'], path, body],
      ['POST', 'ja', undefined, '/a?b=1', 'hej'],
    );
  }
  assert.equal((await fetch(url, { method: 'HEAD' })).status, 201);
});

test('proxy variables mean nothing', async (t) => {
  let proxied = 0;
  const proxy = await serveHttp(t, (_request, response) => {
    proxied += 1;
    response.end('proxy');
  });
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
  for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : proxy;
  t.after(() => {
    for (const name of names) delete process.env[name];
  });
  const url = await serveHttp(t, (_request, response) => response.end('direct'));
  const answer = await openOutgoing(t).fetch(url);
  assert.deepEqual([await answer.text(), proxied], ['direct', 0]);
});

const refusedUrls = [
  'file:///etc/passwd',
  'ftp://example.com/',
  'gopher://example.com/',
  'data:text/plain,x',
  'blob:x',
  'javascript:1',
  'http://',
  'not a url',
  '//example.com',
  'http://user:pass@example.com/',
  'https://token@example.com/',
  'ws://example.com',
];
for (const url of refusedUrls)
  test(`${url} is not called`, async (t) => {
    const outgoing = openOutgoing(t);
    for (const [, way] of ways) {
      const { problem, sent } = await failureOf(way(outgoing)(url));
      assert.deepEqual([problem, sent], ['invalid-url', false]);
    }
  });

test('ports of other protocols are not called unless they are named', async (t) => {
  const outgoing = openOutgoing(t);
  for (const [, way] of ways)
    for (const port of [22, 25, 6379 - 379, 110, 6667])
      assert.equal((await failureOf(way(outgoing)(`http://127.0.0.1:${port}/`))).problem, 'forbidden', String(port));
  const named = createOutgoing({ allow: [parseDestination('127.0.0.1:25')] });
  t.after(() => named.close());
  assert.equal((await failureOf(named.fetch('http://127.0.0.1:25/'))).problem, 'unreachable');
});

const limits: FetchOptions = { headersMs: 1_500, idleMs: 1_500, totalMs: 4_000, maxBytes: 100_000 };
const misbehaviours: readonly (readonly [
  name: string,
  answer: (socket: Socket) => void,
  problem: string,
  options?: FetchOptions,
])[] = [
  ['never answers', () => {}, 'timeout'],
  ['stops within the headers', (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-le'), 'timeout'],
  [
    'stops within the body',
    (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'),
    'timeout',
  ],
  ['hangs up at once', (socket) => void socket.destroy(), 'cut-off'],
  ['hangs up within the headers', (socket) => void socket.end('HTTP/1.1 200 OK\r\ncont'), 'cut-off'],
  [
    'hangs up within the body',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'),
    'cut-off',
  ],
  [
    'cuts off within a chunk',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhalf'),
    'cut-off',
  ],
  ['speaks no HTTP', (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'), 'protocol'],
  [
    'has endless headers',
    (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(100_000)}`),
    'too-large',
  ],
  [
    'announces too much',
    (socket) => void socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 200000\r\n\r\n${'x'.repeat(200_000)}`),
    'too-large',
  ],
  ['drips without an end', (socket) => drip(socket, 'x', 50), 'timeout', { totalMs: 800 }],
  ['drips its headers without an end', (socket) => drip(socket, 'x', 50, ''), 'timeout', { totalMs: 800 }],
  ['pours without an end', (socket) => drip(socket, 'x'.repeat(60_000), 1), 'too-large'],
];

function drip(socket: Socket, piece: string, everyMs: number, headersEnd = '\r\n'): void {
  socket.write(`HTTP/1.1 200 OK\r\n${headersEnd}`);
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
}

for (const [name, answer, problem, options] of misbehaviours) {
  for (const [how, way] of ways)
    test(`a server that ${name} ends as ${problem}, by ${how}`, async (t) => {
      const url = await serveRaw(t, answer);
      const error = await failureOf(way(openOutgoing(t))(url, { ...limits, ...options }));
      assert.equal(error.problem, problem, error.message);
      assert.equal(error.sent, true);
      assert.match(error.message, /127\.0\.0\.1/);
    });
}

test('where nothing listens and where no name is, nothing was sent', async (t) => {
  const outgoing = openOutgoing(t);
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  for (const [, way] of ways) {
    const fetch = way(outgoing);
    const refused = await failureOf(fetch('http://127.0.0.1:1/'));
    assert.equal(refused.sent, false);
    const closed = await failureOf(fetch(`http://127.0.0.1:${port}/`));
    assert.deepEqual([closed.problem, closed.sent], ['unreachable', false]);
    const unknown = await failureOf(fetch('http://nothing-here.invalid/'));
    assert.deepEqual([unknown.problem, unknown.sent], ['unresolvable', false]);
  }
});

test('a connection that nobody takes is given up', async (t) => {
  const outgoing = createOutgoing({
    allow: [parseDestination('stuck.example')],
    resolve: () => new Promise(() => {}),
    connectTimeoutMs: 300,
  });
  t.after(() => outgoing.close());
  const error = await failureOf(outgoing.fetch('http://stuck.example/'));
  assert.deepEqual([error.problem, error.sent], ['timeout', false]);
  assert.match(error.message, /within 300 ms/);
});

test('the caller ends a call, before it and within it', async (t) => {
  let asked = 0;
  let closed = 0;
  const url = await serveRaw(t, (socket) => {
    asked += 1;
    socket.once('close', () => (closed += 1));
  });
  const outgoing = openOutgoing(t);
  for (const [, way] of ways) {
    const fetch = way(outgoing);
    assert.equal((await failureOf(fetch(url, { signal: AbortSignal.abort() }))).problem, 'aborted');
    const controller = new AbortController();
    const call = failureOf(fetch(url, { signal: controller.signal }));
    await sleep(50);
    controller.abort();
    assert.equal((await call).problem, 'aborted');
  }
  await sleep(50);
  assert.deepEqual([asked, closed], [2, 2]);
});

test('an exchange that is ended while its connection is made sends nothing, and follows no redirect', async (t) => {
  let asked = 0;
  const url = await serveHttp(t, (_request, response) => {
    asked += 1;
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
  });
  const { exchange } = openOutgoing(t);
  const controller = new AbortController();
  const options = { totalMs: 5_000, maxBytes: 1_000 };
  const call = exchange(url, { ...options, signal: controller.signal });
  // Once undici is loaded and the request waits for its socket.
  await Promise.all([import('undici'), import('./guarded-exchange.ts')]);
  controller.abort();
  await assert.rejects(call, { problem: 'aborted', sent: false });
  await sleep(100);
  assert.equal(asked, 0);
  await assert.rejects(exchange(url, options), { problem: 'redirect' });
  assert.equal(asked, 1);
});

test('redirects are counted, and each hop is guarded', async (t) => {
  const url = await serveHttp(t, (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end(`${request.method} ${String(request.headers['x-api-key'])}`);
    else response.writeHead(302, { location: `/${left - 1}` }).end('moved');
  });
  const { fetch } = openOutgoing(t);
  const headers = { 'x-api-key': 'key' };
  assert.equal(await (await fetch(`${url}/5`, { headers })).text(), 'GET key');
  assert.match((await failureOf(fetch(`${url}/6`))).message, /redirects more than 5 times/);
  assert.equal((await failureOf(fetch(`${url}/1`, { maxRedirects: 0 }))).problem, 'redirect');

  for (const [location, problem] of [
    ['http://169.254.169.254/latest/meta-data', 'forbidden'],
    ['http://[::1]/', 'forbidden'],
    ['http://2130706434/', 'forbidden'],
    ['//10.0.0.1/x', 'forbidden'],
    ['file:///etc/passwd', 'invalid-url'],
    ['http://u:p@127.0.0.1/', 'invalid-url'],
  ] as const) {
    const away = await serveHttp(t, (_request, response) => response.writeHead(307, { location }).end());
    assert.equal((await failureOf(fetch(away, { method: 'POST', body: 'x' }))).problem, problem, location);
  }
});

test('credentials stay at their origin; methods change as browsers change them', async (t) => {
  const seen: IncomingMessage[] = [];
  const other = await serveHttp(t, (request, response) => {
    seen.push(request);
    response.end();
  });
  const status = { now: 302 };
  const url = await serveHttp(t, (_request, response) =>
    response.writeHead(status.now, { location: `${other}/x` }).end(),
  );
  const { fetch } = openOutgoing(t);
  const headers = {
    Authorization: 'Bearer k',
    Cookie: 'a=1',
    'X-Api-Key': 'k',
    'Proxy-Authorization': 'k',
    'X-Anything': 'k',
    Accept: 'text/plain',
    'Content-Type': 'text/plain',
  };
  for (const [code, method] of [
    [301, 'GET'],
    [302, 'GET'],
    [303, 'GET'],
    [307, 'POST'],
    [308, 'POST'],
  ] as const) {
    status.now = code;
    await (await fetch(url, { method: 'POST', body: 'x', headers })).text();
    const request = seen.at(-1);
    assert.equal(request?.method, method, String(code));
    assert.equal(request?.headers.accept, 'text/plain');
    for (const name of ['authorization', 'cookie', 'x-api-key', 'proxy-authorization', 'x-anything'])
      assert.equal(request?.headers[name], undefined, `${name} after ${code}`);
  }
});

test('drivers get a socket', async (t) => {
  const url = await serveRaw(t, (socket) => void socket.end('pong'));
  const socket = await openOutgoing(t).connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
  socket.write('ping');
  const [data] = (await once(socket, 'data')) as [Buffer];
  assert.equal(data.toString(), 'pong');
  socket.destroy();

  const plain = await serveRaw(t, (each) => void each.end('no TLS here'));
  const { problem } = await openOutgoing(t)
    .connect({ host: '127.0.0.1', port: Number(new URL(plain).port), tls: {} })
    .then(
      () => assert.fail(),
      (error: unknown) => error as OutgoingError,
    );
  assert.equal(problem, 'tls');
});
