import assert from 'node:assert/strict';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { AppError } from '../kernel/errors.ts';
import { readMultipart } from './multipart.ts';

/** A server that answers with the sizes of the received files, or with the code of the error. */
async function serve(t: TestContext, sink?: { write(bytes: Buffer): Promise<void> | undefined }) {
  const outcomes: string[] = [];
  const waiting: ((outcome: string) => void)[] = [];
  const server = createServer((request, response) => {
    void answer(request).then((outcome) => {
      outcomes.push(outcome);
      waiting.shift()?.(outcome);
      response.end(outcome);
    });
  });
  async function answer(request: IncomingMessage): Promise<string> {
    const sizes: number[] = [];
    let sizeBytes = 0;
    try {
      await readMultipart(request, {
        field: (name, value) => void sizes.push(name === 'refuse' ? fail() : value.length),
        file: () => ({
          write(bytes) {
            sizeBytes += bytes.length;
            return sink?.write(bytes);
          },
          end: () => void sizes.push(sizeBytes),
        }),
      });
      return sizes.join(',');
    } catch (error) {
      return error instanceof AppError ? error.code : String(error);
    }
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    next: () => new Promise<string>((resolve) => waiting.push(resolve)),
  };
}

function fail(): never {
  throw new AppError('conflict', 'REFUSED', 'no');
}

async function post(port: number, contentType: string, body: Buffer | string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body,
  });
  return response.text();
}

function requestHead(length: number): string {
  return `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n`;
}

function form(content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'),
    content,
    Buffer.from('\r\n--b--\r\n'),
  ]);
}

test('reads what browsers send', async (t) => {
  const { port } = await serve(t);
  const data = new FormData();
  data.set('reqId', 'abc');
  data.set('file', new Blob([new Uint8Array(3_000_000)]), 'big.bin');
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: data });
  assert.equal(await response.text(), '3,3000000');
});

test('waits for a slow sink', async (t) => {
  let open = 0;
  let most = 0;
  const { port } = await serve(t, {
    async write() {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
    },
  });
  assert.equal(await post(port, 'multipart/form-data; boundary=b', form(Buffer.alloc(2_000_000))), '2000000');
  assert.equal(most, 1);
});

const contentTypes: [string, string][] = [
  ['application/json', 'UNSUPPORTED_MEDIA_TYPE'],
  ['multipart/mixed; boundary=b', 'UNSUPPORTED_MEDIA_TYPE'],
  ['multipart/form-data', 'INVALID_PARAMETER'],
  ['multipart/form-data; boundary=', 'INVALID_PARAMETER'],
  ['multipart/form-data; boundary=a; boundary=b', 'INVALID_PARAMETER'],
  [`multipart/form-data; boundary=${'b'.repeat(71)}`, 'INVALID_PARAMETER'],
  ['multipart/form-data; boundary="b', 'INVALID_PARAMETER'],
  ['multipart/form-data; boundary=ä', 'INVALID_PARAMETER'],
  ['Multipart/Form-Data; charset=utf-8; boundary="b"', '1'],
];
for (const [contentType, expected] of contentTypes) {
  test(`content type ${contentType.slice(0, 60)} → ${expected}`, async (t) => {
    const { port } = await serve(t);
    assert.equal(await post(port, contentType, form(Buffer.from('x'))), expected);
  });
}

test('a compressed form is refused', async (t) => {
  const { port } = await serve(t);
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-encoding': 'gzip' },
    body: form(Buffer.from('x')),
  });
  assert.equal(await response.text(), 'UNSUPPORTED_MEDIA_TYPE');
});

test('takes chunked transfer encoding and answers Expect: 100-continue', async (t) => {
  const { port } = await serve(t);
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    headers: {
      'content-type': 'multipart/form-data; boundary=b',
      'transfer-encoding': 'chunked',
      expect: '100-continue',
    },
  });
  request.flushHeaders();
  await once(request, 'continue');
  const body = form(Buffer.alloc(100_000));
  request.write(body.subarray(0, 77));
  request.end(body.subarray(77));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  assert.equal(Buffer.concat(await response.toArray()).toString(), '100000');
});

test('a connection that dies in mid-body is an error', async (t) => {
  const { port, next } = await serve(t);
  const outcome = next();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const body = form(Buffer.alloc(1000));
  socket.write(Buffer.concat([Buffer.from(requestHead(body.length)), body.subarray(0, 500)]), () => socket.destroy());
  assert.equal(await outcome, 'INVALID_PARAMETER');
});

test('a client that sends a refused body to its end hears why, and keeps its connection', async (t) => {
  const { port } = await serve(t);
  const refusal = Buffer.from('--b\r\nContent-Disposition: form-data; name="refuse"\r\n\r\n\r\n');
  const body = Buffer.concat([refusal, form(Buffer.alloc(20_000_000))]);
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let answers = '';
  let heard: (() => void) | undefined;
  socket.setEncoding('utf8').on('data', (text: string) => {
    answers += text;
    heard?.();
  });
  socket.write(requestHead(body.length));
  socket.write(body);
  const second = form(Buffer.from('12345'));
  socket.write(Buffer.concat([Buffer.from(requestHead(second.length)), second]));
  while (answers.match(/HTTP\/1.1 200/g)?.length !== 2) await new Promise<void>((resolve) => (heard = resolve));
  assert.match(answers, /REFUSED/);
  assert.match(answers, /\r\n\r\n5|\r\n5\r\n/);
  socket.destroy();
});
