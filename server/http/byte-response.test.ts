import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Agent, Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import fastify from 'fastify';
import fc from 'fast-check';
import { sized } from '../../tests/support/long-tests.ts';
import type { ByteSource } from '../kernel/byte-source.ts';
import { AppError } from '../kernel/errors.ts';
import { type Content, sendContent } from './byte-response.ts';
import { sendError } from './error-answer.ts';

/** An in-memory source that counts the reads. */
function memorySource(
  bytes: Uint8Array,
  failAt = Infinity,
): ByteSource & { opened: number; closed: number; readBytes: number } {
  const source = {
    sizeBytes: bytes.length,
    opened: 0,
    closed: 0,
    readBytes: 0,
    async open(start: number, end: number) {
      source.opened += 1;
      let position = start;
      return {
        async fill(target: Uint8Array) {
          const length = Math.min(target.length, Math.min(end, bytes.length) - position);
          if (position + length > failAt) throw new Error('The disk has gone');
          target.set(bytes.subarray(position, position + length));
          position += length;
          source.readBytes += length;
          return length;
        },
        async close() {
          source.closed += 1;
        },
      };
    },
  };
  return source;
}

/** Bytes that differ from place to place. */
function patternOf(sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  for (let at = 0; at < sizeBytes; at++) bytes[at] = (at * 31 + (at >> 8) * 7) & 255;
  return bytes;
}

const bytes = patternOf(300_000);
let content: Content;
const app = fastify();
app.setErrorHandler((error, request, reply) =>
  error instanceof AppError
    ? sendError(error, request, reply, new Date())
    : reply.code(500).send({ message: (error as Error).message }),
);
app.get('/content', (request, reply) => sendContent(request, reply.header('x-request-id', 'r1'), content));
app.get('/other', () => 'here');
let agent: Agent;
let port: number;

before(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
  agent = new HttpAgent({ keepAlive: true, maxSockets: 4 });
});

after(async () => {
  agent.destroy();
  await app.close();
});

function serve(source: ByteSource, more: Partial<Content> = {}): void {
  content = { source, tag: 'tag-1', contentType: 'text/plain', fileName: 'a.txt', ...more };
}

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** Rejects when the connection breaks before the announced end. */
function ask(headers: Record<string, string> = {}, method = 'GET', path = '/content'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path, method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

/** A client that sends a request and does not read the response until the test resumes it. */
async function openIdleClient(headers = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET /content HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);
  return socket;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

test('a whole file comes with its length, tag and the headers that keep a browser from running it', async () => {
  serve(memorySource(bytes), { contentType: 'text/html', fileName: 'page.html' });
  const { status, headers, body } = await ask();
  assert.equal(status, 200);
  assert.ok(body.equals(bytes));
  assert.equal(headers['content-length'], '300000');
  assert.equal(headers['content-type'], 'text/html');
  assert.equal(headers.etag, '"tag-1"');
  assert.equal(headers['accept-ranges'], 'bytes');
  assert.equal(headers['content-disposition'], `attachment; filename="page.html"; filename*=UTF-8''page.html`);
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['content-security-policy'], 'sandbox');
  assert.equal(headers['cache-control'], 'private, no-cache');
  assert.equal(headers['x-request-id'], 'r1');
});

test('HEAD gives the headers of GET and reads nothing', async () => {
  const source = memorySource(bytes);
  serve(source);
  const got = await ask();
  const head = await ask({ range: 'bytes=0-9' }, 'HEAD');
  assert.equal(head.status, 200);
  assert.equal(head.body.length, 0);
  assert.deepEqual({ ...head.headers, date: '' }, { ...got.headers, date: '' });
  assert.equal(source.opened, 1);
});

test('an empty file is an empty answer; a range of it is not satisfiable', async () => {
  serve(memorySource(Buffer.alloc(0)));
  const answer = await ask();
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-length'], '0');
  assert.equal((await ask({ range: 'bytes=0-' })).status, 416);
  assert.equal((await ask({ range: 'bytes=-5' })).status, 200);
});

test('a stored type that is no media type is sent as bytes', async () => {
  for (const contentType of ['text/html\r\nX-Evil: 1', '', 'html', 'text/plain; charset="\r\n"', 'a/b c']) {
    serve(memorySource(bytes), { contentType });
    const { status, headers } = await ask();
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/octet-stream');
    assert.equal(headers['x-evil'], undefined);
  }
  serve(memorySource(bytes), { contentType: 'text/plain; charset=utf-8' });
  assert.equal((await ask()).headers['content-type'], 'text/plain; charset=utf-8');
});

test('random ranges are slices of the whole', async () => {
  const source = memorySource(bytes);
  serve(source);
  const position = fc.oneof(fc.nat(bytes.length + 10), fc.constantFrom(0, 1, 65_535, 65_536, bytes.length - 1));
  await fc.assert(
    fc.asyncProperty(position, position, fc.constantFrom('closed', 'open', 'suffix'), async (a, b, form) => {
      const [first, last] = [Math.min(a, b), Math.max(a, b)];
      const header = { closed: `${first}-${last}`, open: `${first}-`, suffix: `-${first}` }[form];
      const expected = {
        closed: bytes.subarray(first, last + 1),
        open: bytes.subarray(first),
        suffix: first === 0 ? Buffer.alloc(0) : bytes.subarray(-first),
      }[form];
      const { status, headers, body } = await ask({ range: `bytes=${header}` });
      if (expected.length === 0) {
        assert.equal(status, 416);
        assert.equal(headers['content-range'], `bytes */${bytes.length}`);
        return;
      }
      assert.equal(status, 206);
      assert.ok(body.equals(expected));
      assert.equal(headers['content-length'], String(expected.length));
      const from = expected.byteOffset - bytes.byteOffset;
      assert.equal(headers['content-range'], `bytes ${from}-${from + expected.length - 1}/${bytes.length}`);
    }),
    { numRuns: sized(250, 3_000) },
  );
  assert.equal(source.closed, source.opened);
});

test('several ranges come as multipart/byteranges in the order asked', async () => {
  serve(memorySource(bytes));
  const { status, headers, body } = await ask({ range: 'bytes=100000-250000, 5-9, -3' });
  assert.equal(status, 206);
  assert.equal(headers['content-length'], String(body.length));
  const boundary = /^multipart\/byteranges; boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const part = (start: number, end: number): Buffer =>
    Buffer.concat([
      Buffer.from(
        `\r\n--${boundary}\r\nContent-Type: text/plain\r\nContent-Range: bytes ${start}-${end - 1}/300000\r\n\r\n`,
      ),
      bytes.subarray(start, end),
    ]);
  const expected = [
    part(100_000, 250_001),
    part(5, 10),
    part(299_997, 300_000),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ];
  assert.ok(body.equals(Buffer.concat(expected)));
});

test('many or overlapping ranges get the whole once', async () => {
  serve(memorySource(bytes));
  for (const range of [
    'bytes=0-,0-,0-,0-',
    `bytes=${Array.from({ length: 100 }, (_, n) => `${n * 2}-${n * 2}`).join()}`,
  ]) {
    const { status, body } = await ask({ range });
    assert.equal(status, 200);
    assert.equal(body.length, bytes.length);
  }
});

test('conditions: If-None-Match, If-Match, If-Range', async () => {
  const source = memorySource(bytes);
  serve(source);
  const unchanged = await ask({ 'if-none-match': '"tag-1"', range: 'bytes=0-1' });
  assert.equal(unchanged.status, 304);
  assert.equal(unchanged.headers.etag, '"tag-1"');
  assert.equal(unchanged.body.length, 0);
  const failed = await ask({ 'if-match': '"tag-0"' });
  assert.equal(failed.status, 412);
  assert.match(failed.body.toString(), /If-Match/);
  assert.equal(source.opened, 0);
  assert.equal((await ask({ 'if-none-match': '"tag-0"' })).status, 200);
  assert.equal((await ask({ 'if-match': '"tag-1"', range: 'bytes=0-1' })).status, 206);
  assert.equal((await ask({ 'if-range': '"tag-1"', range: 'bytes=0-1' })).status, 206);
  for (const other of ['"tag-0"', 'W/"tag-1"', 'Fri, 20 Nov 2026 08:00:00 GMT']) {
    const answer = await ask({ 'if-range': other, range: 'bytes=0-1' });
    assert.equal(answer.status, 200);
    assert.equal(answer.body.length, bytes.length);
  }
});

test('a range behind the end tells the size', async () => {
  serve(memorySource(bytes));
  const { status, headers } = await ask({ range: 'bytes=300000-' });
  assert.equal(status, 416);
  assert.equal(headers['content-range'], 'bytes */300000');
  assert.equal(headers['content-disposition'], undefined);
});

test('a source that fails at once is an error; one that fails midway breaks the connection', async () => {
  const early = memorySource(bytes, 10);
  serve(early);
  assert.equal((await ask()).status, 500);
  assert.equal(early.closed, 1);
  const late = memorySource(bytes, bytes.length - 1);
  serve(late);
  await assert.rejects(ask(), { code: 'ECONNRESET' });
  assert.equal(late.closed, 1);
  assert.equal((await ask({}, 'GET', '/other')).body.toString(), 'here');
});

test('a source shorter than it said breaks the connection', async () => {
  serve({ ...memorySource(bytes), sizeBytes: bytes.length + 1 });
  await assert.rejects(ask(), { code: 'ECONNRESET' });
});

test('a client that reads nothing makes the server read little, disturbs nobody and gets every byte in the end', async () => {
  const large = patternOf(64 * 1024 * 1024);
  const source = memorySource(large);
  serve(source);
  const socket = await openIdleClient();
  let readBytes = -1;
  // The kernel buffers some megabytes; then reading stops while other calls are answered.
  while (readBytes !== source.readBytes) {
    ({ readBytes } = source);
    for (let n = 0; n < 20; n++) assert.equal((await ask({}, 'GET', '/other')).status, 200);
  }
  assert.ok(readBytes < 32 * 1024 * 1024, `${readBytes} bytes were read`);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.resume();
  await once(socket, 'end');
  assert.ok(Buffer.concat(chunks).subarray(-large.length).equals(large));
  assert.equal(source.closed, 1);
});

test('a client that goes away ends the reading', async () => {
  const large = patternOf(64 * 1024 * 1024);
  const source = memorySource(large);
  serve(source);
  const socket = await openIdleClient();
  await until(() => source.readBytes > 0);
  socket.destroy();
  await until(() => source.closed === 1);
  assert.ok(source.readBytes < large.length);
});

test('a connection that the server cuts ends the reading', async () => {
  const source = memorySource(patternOf(64 * 1024 * 1024));
  serve(source);
  const socket = await openIdleClient();
  socket.on('error', () => {});
  await until(() => source.readBytes > 0);
  app.server.closeAllConnections();
  await until(() => source.closed === 1);
  assert.ok(source.readBytes < source.sizeBytes);
  socket.destroy();
});
