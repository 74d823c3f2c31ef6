import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { openEventSource, type EventSourceAnswer } from '../../tests/support/event-source.ts';
import { until } from '../../tests/support/until.ts';
import { systemClock } from '../kernel/clock.ts';
import type { FeedEvent, FeedListener } from '../kernel/event-feed.ts';
import type { Principal } from '../kernel/principal.ts';
import { createRateLimits } from '../kernel/rate-limits.ts';
import type { Credential } from './credentials.ts';
import { lastEventIdOf, type EventStreamOptions } from './event-stream.ts';
import { createMetrics } from './metrics.ts';
import { createHttpServer, type HttpServer } from './server.ts';

type Bench = {
  server: HttpServer;
  port: number;
  url: string;
  listeners: Set<FeedListener>;
  /** Credentials that are no longer valid. */
  revoked: Set<string>;
  open(secret?: string, headers?: Readonly<Record<string, string>>): Promise<EventSourceAnswer>;
};

/** A server with one stream; a test can send events to its listeners. */
async function start(
  t: TestContext,
  options: Omit<EventStreamOptions, 'authenticator' | 'errorBody'> = {},
): Promise<Bench> {
  const listeners = new Set<FeedListener>();
  const revoked = new Set<string>();
  const principalOf = ({ via, secret }: Credential): Principal | undefined =>
    revoked.has(secret)
      ? undefined
      : { userId: 'u', username: 'u', role: 'VIEWER', credentialId: `${via}:${secret}`, via };
  const times = { monotonicMs: () => performance.now(), wallMs: () => Date.now() };
  const server = createHttpServer({
    authenticator: { recall: principalOf, verify: async (credential) => principalOf(credential), csrfToken: () => '' },
    limits: createRateLimits({ windows: [{ limit: 1000, spanMs: 60_000 }], ...times }),
    cookieLimits: createRateLimits({ windows: [], ...times }),
    metrics: createMetrics(),
    logger: pino({ level: 'silent' }),
    clock: systemClock,
    eventStreams: options,
  });
  server.addArea('/test', (app) => {
    app.get('/events', { config: { access: 'VIEWER' } }, (request, reply) => {
      if (lastEventIdOf(request) === 'end') return request.server.eventStreams.open(request, reply, undefined);
      return request.server.eventStreams.open(request, reply, (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      });
    });
  });
  t.after(() => server.close(1000));
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/api/v1/test/events`;
  return {
    server,
    port,
    url,
    listeners,
    revoked,
    open: (secret = 'one', headers = {}) => openEventSource(url, { authorization: `Bearer ${secret}`, ...headers }),
  };
}

const event: FeedEvent = { id: '1', name: 'news', data: '{"line":"a\\nb"}' };

test('events come as they happen, with the headers of every answer and those of a stream', async (t) => {
  const { open, listeners, server } = await start(t);
  const source = await open();
  assert.equal(source.status, 200);
  assert.match(source.headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.equal(source.headers.get('cache-control'), 'no-store');
  assert.equal(source.headers.get('x-accel-buffering'), 'no');
  assert.equal(source.headers.get('content-encoding'), null);
  assert.equal(source.headers.get('x-ratelimit-limit'), '1000');
  assert.ok(source.headers.has('x-request-id') && source.headers.has('x-content-type-options'));
  const [listener] = listeners;
  void listener?.send(event);
  assert.deepEqual(await source.next(), { id: '1', name: 'news', data: { line: 'a\nb' } });
  void listener?.send({ ...event, id: '2' });
  listener?.end();
  assert.deepEqual(
    (await source.rest()).map(({ id }) => id),
    ['2'],
  );
  assert.equal(listeners.size, 0);
  assert.equal(server.app.eventStreams.size, 0);
});

test('a stream without events gets comment lines', async (t) => {
  const { open, listeners } = await start(t, { heartbeatMs: 10 });
  const source = await open();
  const [listener] = listeners;
  const next = source.next();
  await until(() => source.comments >= 3);
  void listener?.send(event);
  assert.equal((await next)?.id, '1');
});

test('a listener who goes is forgotten', async (t) => {
  const { open, listeners } = await start(t);
  const source = await open();
  assert.equal(listeners.size, 1);
  source.close();
  await until(() => listeners.size === 0);
});

test('a credential that ends takes its streams with it, and no others', async (t) => {
  const { open, revoked, listeners, server } = await start(t, { recheckMs: 10 });
  const sources = await Promise.all([open('one'), open('one'), open('two')]);
  assert.equal(listeners.size, 3);
  revoked.add('one');
  assert.deepEqual(await sources[0]?.rest(), []);
  assert.deepEqual(await sources[1]?.rest(), []);
  assert.equal(server.app.eventStreams.size, 1);
  const [listener] = listeners;
  void listener?.send(event);
  assert.equal((await sources[2]?.next())?.id, '1');
});

test('shutting down ends streams at once', async (t) => {
  const { open, server, listeners } = await start(t);
  const source = await open();
  const before = performance.now();
  await server.close(20_000);
  assert.deepEqual(await source.rest(), []);
  assert.equal(listeners.size, 0);
  assert.ok(performance.now() - before < 20_000, 'nobody waited for the stream to be cut');
});

test('nothing to come: 204, which tells browsers not to ask again', async (t) => {
  const { open, listeners } = await start(t);
  const source = await open('one', { 'last-event-id': 'end' });
  assert.equal(source.status, 204);
  assert.equal(listeners.size, 0);
});

test('HEAD has the headers and no stream', async (t) => {
  const { url, listeners } = await start(t);
  const answer = await fetch(url, { method: 'HEAD', headers: { authorization: 'Bearer one' } });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(await answer.text(), '');
  assert.equal(listeners.size, 0);
});

test('too many streams are refused', async (t) => {
  const { open } = await start(t, { maxPerCredential: 2, maxStreams: 3 });
  const sources = [await open('one'), await open('one')];
  const third = await open('one');
  assert.deepEqual([third.status, third.headers.get('retry-after')], [503, '5']);
  await open('two');
  assert.equal((await open('two')).status, 503, 'of all together');
  sources[0]?.close();
});

test('a listener who does not read holds nobody up and is let go', async (t) => {
  const { port, open, listeners } = await start(t);
  const deaf = connect(port, '127.0.0.1');
  await once(deaf, 'connect');
  deaf.pause();
  deaf.write('GET /api/v1/test/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer one\r\n\r\n');
  await until(() => listeners.size === 1);
  const source = await open();
  const [first, second] = listeners;
  const big: FeedEvent = { id: '1', name: 'news', data: JSON.stringify('x'.repeat(1 << 20)) };
  const behind = first?.send(big);
  for (let count = 0; count < 64 && listeners.size === 2; count += 1) {
    void first?.send(big);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => listeners.size === 1);
  // A listener that waited for the read now continues.
  await behind;
  void second?.send(event);
  assert.equal((await source.next())?.id, '1');
  deaf.destroy();
});
