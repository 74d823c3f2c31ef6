import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { limitConnections } from './connection-limit.ts';

test('past the limit connections are turned away, and told of once', async (t) => {
  const server = createServer((_request, response) => response.end('answer'));
  const warnings: object[] = [];
  assert.equal(limitConnections(server, 2, { warn: (details) => void warnings.push(details) }), 2);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  const ask = async (socket: Awaited<ReturnType<typeof open>>) => {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.match(answer.toString(), /answer$/);
  };
  const first = await open();
  const second = await open();
  await ask(first);
  await ask(second);
  for (let more = 0; more < 3; more += 1) {
    const socket = await open();
    if (!socket.closed) await once(socket, 'close');
  }
  await ask(first);
  assert.deepEqual(warnings, [{ limit: 2, turnedAway: 1 }]);
  const closed = once(second, 'close');
  second.end();
  await closed;
  await ask(await open());
});

test('a process that may open few files takes fewer connections than are wanted', () => {
  const server = createServer();
  const logger = { warn() {} };
  assert.equal(limitConnections(server, 10_000, logger, 1024), 768);
  assert.equal(limitConnections(server, 100, logger, 1024), 100);
  assert.equal(limitConnections(server, 10_000, logger, Infinity), 10_000);
});
