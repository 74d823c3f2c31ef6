import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { sharedService } from '../contract/service.ts';
import { Me } from '../contract/shapes.ts';

const shared = sharedService(import.meta.url);

/** Sends bytes on a separate connection and returns all that is received until the server closes it. */
function talk(url: string, bytes: string | Buffer, { thenEnd = true } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes);
      if (thenEnd) socket.end();
    });
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer within 20 s')));
    socket.on('data', (part) => parts.push(part));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? undefined : reject(error),
    );
    socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1')));
  });
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

test('what is wrong with bytes that are no HTTP is told in a sentence, with the path where one was read', async () => {
  const { url } = await shared.open();
  const host = 'Host: tilth\r\n';
  const tags = '/api/v1/data-management/tags';
  const login = '/api/v1/auth/login';
  const chunked = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  const cases: readonly (readonly [bytes: string, status: number, path: string, sentence: RegExp])[] = [
    ['hello\r\n\r\n', 400, '', /^The request does not begin with a method of HTTP/],
    ['\u0016\u0003\u0001\u0002\r\n\r\n', 400, '', /^The client began with TLS, but this port speaks plain HTTP/],
    [`FROB ${login}?a=b HTTP/1.1\r\n${host}\r\n`, 400, login, /method of HTTP/],
    [`GET ${tags} HTTP/9.9\r\n${host}\r\n`, 400, tags, /must end with HTTP\/1.1/],
    [`GET ${tags} x HTTP/1.1\r\n${host}\r\n`, 400, tags, /a space in the path is written %20/],
    [`GET ${login} HTTP/1.1\r\n${host}Bad Header: x\r\n\r\n`, 400, login, /^A header is malformed/],
    [`GET ${login} HTTP/1.1\r\n${host}X: ${'x'.repeat(30_000)}\r\n\r\n`, 431, login, /larger than 16 KiB/],
    [`POST ${login} HTTP/1.1\r\n${host}Content-Length: five\r\n\r\n`, 400, login, /number of bytes/],
    [`POST ${login} HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, login, /given once/],
    [`POST ${login} HTTP/1.1\r\n${host}Content-Length: 5\r\n${chunked}0\r\n\r\n`, 400, login, /must be chunked/],
    [`POST ${login} HTTP/1.1\r\n${host}${chunked}zz\r\n`, 400, login, /^The chunked body is malformed/],
  ];
  for (const [bytes, status, path, sentence] of cases) {
    const answer = await talk(url, Buffer.from(bytes, 'latin1'));
    assert.equal(statusOf(answer), status, answer);
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Record<string, string>;
    assert.equal(body['path'], path, answer);
    const isDataManagement = path === tags;
    assert.match(body[isDataManagement ? 'message' : 'error'] ?? '', sentence);
    assert.equal(body[isDataManagement ? 'error' : 'code'], isDataManagement ? 'INVALID_PARAMETER' : status);
    assert.ok(!answer.includes('xxx') && !answer.includes('zz'), 'nothing else of the bytes is repeated');
  }
});

test('requests that no client library would send', async (t) => {
  const { url, admin } = await shared.open();
  const host = 'Host: tilth\r\nConnection: close\r\n';
  const login = '/api/v1/auth/login';
  const refused: Record<string, string | Buffer> = {
    'no HTTP': 'hello\r\n\r\n',
    TLS: Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03, 0x0d, 0x0a, 0x0d, 0x0a]),
    'an unknown version': `GET / HTTP/9.9\r\n${host}\r\n`,
    'an unknown method': `FROB ${login} HTTP/1.1\r\n${host}\r\n`,
    'a NUL in the path': `GET /api/v1/\0 HTTP/1.1\r\n${host}\r\n`,
    'a length and chunks (smuggling)': `POST ${login} HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /`,
    'two lengths': `POST ${login} HTTP/1.1\r\n${host}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{"a":1}`,
    'a length that is no number': `POST ${login} HTTP/1.1\r\n${host}Content-Length: five\r\n\r\n{}`,
    'a negative length': `POST ${login} HTTP/1.1\r\n${host}Content-Length: -5\r\n\r\n{}`,
    'chunks that are none': `POST ${login} HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
    'an unknown transfer coding': `POST ${login} HTTP/1.1\r\n${host}Transfer-Encoding: frob\r\n\r\n{}`,
    'a header without a colon': `GET /healthz HTTP/1.1\r\n${host}broken header\r\n\r\n`,
    'a line break alone in a header': `GET /healthz HTTP/1.1\r\n${host}X: a\nb: c\rd\r\n\r\n`,
    'headers of 100 kB': `GET /healthz HTTP/1.1\r\n${host}X: ${'x'.repeat(100_000)}\r\n\r\n`,
    'a path of 100 kB': `GET /api/v1/${'x'.repeat(100_000)} HTTP/1.1\r\n${host}\r\n`,
    'no host': 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
  };
  for (const [why, bytes] of Object.entries(refused)) {
    await t.test(why, async () => {
      const status = statusOf(await talk(url, bytes));
      assert.ok(status === 0 || (status >= 400 && status < 500), `${why} → ${status}`);
    });
  }

  await t.test('bytes of no letter in the path', async () => {
    const path = Buffer.concat([
      Buffer.from('GET /api/v1/'),
      Buffer.from([0xff, 0xe4, 0x80]),
      Buffer.from(` HTTP/1.1\r\n${host}\r\n`),
    ]);
    const status = statusOf(await talk(url, path));
    assert.ok([0, 400, 401, 404].includes(status), String(status));
  });

  await t.test('TRACE, CONNECT and OPTIONS give nothing away', async () => {
    for (const method of ['TRACE', 'CONNECT', 'OPTIONS']) {
      const answer = await talk(url, `${method} /api/v1/auth/me HTTP/1.1\r\n${host}X-Secret: canary\r\n\r\n`);
      assert.ok(statusOf(answer) < 500, answer.slice(0, 200));
      assert.ok(!answer.includes('canary'), method);
    }
  });

  await t.test('QUERY is a method like any other that a path does not have', async () => {
    const answer = await talk(url, `QUERY ${login} HTTP/1.1\r\n${host}\r\n`);
    assert.equal(statusOf(answer), 405, answer);
    assert.match(answer, /^allow: POST\r$/im);
    assert.equal(statusOf(await talk(url, `QUERY /api/v1/nothing HTTP/1.1\r\n${host}\r\n`)), 401);
  });

  await t.test('a body that is announced and never comes', async () => {
    const head = `POST ${login} HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"user`;
    const status = statusOf(await talk(url, head));
    assert.ok(status === 0 || status === 400, String(status));
  });

  await t.test('a request within a header value stays a value', async () => {
    const answer = await talk(
      url,
      `GET /api/v1/nothing HTTP/1.1\r\n${host}X-Request-Id: a b"c\\d${'e'.repeat(3000)}\r\nAuthorization: Bearer ${'x'.repeat(3000)}\r\n\r\n`,
    );
    assert.equal(statusOf(answer), 401);
    assert.equal(answer.split('HTTP/1.1 ').length, 2);
  });

  await t.test('an unread body before an early answer doesn’t poison the connection', async () => {
    const body = 'x'.repeat(5000);
    const first = `POST /api/v1/data-management/datasets HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const second = `GET /api/v1/auth/me HTTP/1.1\r\n${host}\r\n`;
    const answer = await talk(url, first + second);
    const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    assert.ok(statuses.every((status) => status === '401') && statuses.length >= 1, statuses.join());
  });

  await t.test('the service still answers', async () => {
    (await admin.get('/auth/me')).is(200, Me);
  });
});
