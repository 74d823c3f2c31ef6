import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { cutStalledConnections } from './stalled-connections.ts';

const stallMs = 150;

async function start(
  t: TestContext,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  keepAliveTimeout = 60_000,
): Promise<() => Promise<Socket>> {
  const server = createServer({ keepAliveTimeout });
  const stalled = cutStalledConnections(server, stallMs);
  server.on('request', (request, response) => {
    stalled.watch(request);
    handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
}

const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n';

test('a client that owes a body and sends nothing is cut', async (t) => {
  const open = await start(t, (request) => request.resume());
  const socket = await open();
  socket.write(`${head}some`);
  await once(socket, 'close');
});

test('a body that drips is never cut, however long it takes', async (t) => {
  const open = await start(t, (request, response) => {
    request.resume().once('end', () => response.end('whole'));
  });
  const socket = await open();
  socket.write(head);
  for (let sent = 0; sent < 1000; sent += 100) {
    await new Promise((resolve) => setTimeout(resolve, stallMs / 3));
    socket.write('x'.repeat(100));
  }
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /whole$/);
  socket.destroy();
});

test('a service that is not reading, or that thinks for long, is not the fault of the client', async (t) => {
  const open = await start(t, (request, response) => {
    setTimeout(() => request.resume(), stallMs * 3);
    request.once('end', () => setTimeout(() => response.end('late'), stallMs * 3));
  });
  const socket = await open();
  socket.write(head + 'x'.repeat(1000));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /late$/);
  socket.destroy();
});

test('a client that takes nothing of its answer is cut', async (t) => {
  const cut = Promise.withResolvers<void>();
  const open = await start(t, (request, response) => {
    request.resume();
    response.once('close', () => cut.resolve());
    response.end(Buffer.alloc(64 * 1024 * 1024));
  });
  const socket = await open();
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await cut.promise;
  socket.destroy();
});

test('a connection that is idle after an answer is closed when its time is over', async (t) => {
  const open = await start(t, (_request, response) => response.end('answer'), 50);
  const socket = await open();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /answer$/);
  await once(socket, 'close');
});
