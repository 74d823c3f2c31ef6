import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import fastify, { type FastifyReply } from 'fastify';
import { callerGone } from './caller-gone.ts';

async function start(t: TestContext, handle: (reply: FastifyReply) => Promise<string>): Promise<number> {
  const app = fastify();
  app.get('/', (_, reply) => handle(reply));
  t.after(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

test('work for a caller that goes is ended', async (t) => {
  const { promise: begun, resolve: seen } = Promise.withResolvers<AbortSignal>();
  const port = await start(t, async (reply) => {
    const signal = callerGone(reply);
    seen(signal);
    await once(signal, 'abort');
    return 'for nobody';
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  const signal = await begun;
  assert.equal(signal.aborted, false);
  socket.destroy();
  if (!signal.aborted) await once(signal, 'abort');
});

test('an answer that was written is not taken for a caller that has gone', async (t) => {
  let signal: AbortSignal | undefined;
  let closed: Promise<unknown> | undefined;
  const port = await start(t, (reply) => {
    closed = once(reply.raw, 'close');
    signal = callerGone(reply);
    return Promise.resolve('whole');
  });
  const response = await fetch(`http://127.0.0.1:${port}/`);
  assert.equal(await response.text(), 'whole');
  await closed;
  assert.equal(signal?.aborted, false);
});

test('a caller that had gone before is gone at once', async (t) => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<boolean>();
  const port = await start(t, async (reply) => {
    begin();
    await once(reply.raw, 'close');
    answer(callerGone(reply).aborted);
    return 'for nobody';
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  await begun;
  socket.destroy();
  assert.equal(await answered, true);
});
