// Calls in flight when the server closes, callers that go, and what the log says of both.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startHttpService, bearer, dataManagement, otherArea } from '../../tests/support/http-service.ts';
import { callerGone } from './caller-gone.ts';
import { setTimeout } from 'node:timers/promises';

test('closing: calls in flight end, new ones hear 503', async (t) => {
  const release = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const server = await startHttpService(t, {}, ({ addArea }) => {
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
  waiting.write(`GET ${dataManagement}/things/a HTTP/1.1\r\n`);
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
  const server = await startHttpService(t, {}, ({ addArea }) => {
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
  const { url, lines } = await startHttpService(t);
  await fetch(`${url}${dataManagement}/things/a?token=SECRET-QUERY`, {
    headers: { ...bearer('viewer'), cookie: 'tilth_session=SECRET-COOKIE' },
  });
  await fetch(`${url}${dataManagement}/things/a`, {
    headers: { 'x-api-key': 'SECRET-KEY', authorization: 'Bearer SECRET-TOKEN' },
  });
  await fetch(`${url}${dataManagement}/things/broken`, { headers: bearer('viewer') });
  const requests = lines.filter(({ msg }) => msg === 'request');
  assert.deepEqual(
    requests.map(({ method, route, path, status, user }) => ({ method, route, path, status, user })),
    [
      {
        method: 'GET',
        route: `${dataManagement}/things/:thingId`,
        path: `${dataManagement}/things/a`,
        status: 200,
        user: 'viewer',
      },
      {
        method: 'GET',
        route: `${dataManagement}/things/:thingId`,
        path: `${dataManagement}/things/a`,
        status: 401,
        user: undefined,
      },
      {
        method: 'GET',
        route: `${dataManagement}/things/:thingId`,
        path: `${dataManagement}/things/broken`,
        status: 500,
        user: 'viewer',
      },
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
  const { url, lines } = await startHttpService(t, {}, ({ app }) => {
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

test('a client that goes away within its body is told of as one line, not as a failure of the service', async (t) => {
  const { url, lines } = await startHttpService(t);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST ${otherArea}/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer editor\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na`,
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
