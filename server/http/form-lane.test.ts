import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Type } from '@fastify/type-provider-typebox';
import { pino } from 'pino';
import { systemClock } from '../kernel/clock.ts';
import { defineErrors } from '../kernel/errors.ts';
import type { Principal, Role } from '../kernel/principal.ts';
import { createRateLimits } from '../kernel/rate-limits.ts';
import type { Credential } from './credentials.ts';
import type { TakeWholeForm } from './whole-form.ts';
import { createMetrics } from './metrics.ts';
import { readMultipart } from './multipart.ts';
import { createHttpServer } from './server.ts';

const laneErrors = defineErrors('form lane test', { FIELD_BUSY: ['conflict', 'Field {id} is busy'] });
const roles: Readonly<Record<string, Role>> = { viewer: 'VIEWER', editor: 'EDITOR' };
const path = '/api/v1/data-management/fields/f-1/samples';

type Answer = { status: number; headers: Record<string, string>; body: Record<string, unknown> };

/** A server with one route whose general handler and fast path do the same; `taken` counts calls on the fast path. */
async function start(t: TestContext, { basePath = '', trustedProxies = [] as string[] } = {}) {
  const lines: Record<string, unknown>[] = [];
  const counts = { taken: 0, general: 0 };
  const times = { monotonicMs: () => performance.now(), wallMs: () => 0 };
  const limits = createRateLimits({ windows: [{ limit: 1_000, spanMs: 60_000 }], ...times });
  const principalOf = ({ via, secret }: Credential): Principal | undefined => {
    const role = roles[secret];
    return role && { userId: secret, username: secret, role, credentialId: secret, via };
  };
  const answer = (id: string, name: string, bytes: number): Record<string, unknown> => {
    if (name === 'busy') throw laneErrors.FIELD_BUSY({ id });
    if (name === 'broken') throw new TypeError('a bug');
    return { id, name, bytes };
  };
  const take: TakeWholeForm = ({ fieldId = '' }, { fields, file }) => {
    const name = fields[0]?.value ?? '';
    if (name === 'unusual') return undefined;
    counts.taken++;
    const { length } = file.bytes;
    return Promise.resolve().then(() => answer(fieldId, name, length));
  };
  const metrics = createMetrics();
  const server = createHttpServer({
    authenticator: { recall: principalOf, verify: async (shown) => principalOf(shown), csrfToken: () => 'csrf' },
    limits,
    cookieLimits: limits,
    metrics,
    basePath,
    trustedProxies,
    logger: pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line) as never) }),
    clock: systemClock,
  });
  server.addArea('/data-management', (app) => {
    app.post(
      '/fields/:fieldId/samples',
      {
        config: { access: 'EDITOR', rateLimit: 'deferred', body: 'stream', takeWholeForm: take },
        schema: {
          params: Type.Object({ fieldId: Type.String() }),
          response: { 200: Type.Object({ id: Type.String(), name: Type.String(), bytes: Type.Integer() }) },
        },
      },
      async (request) => {
        let name = '';
        let bytes = 0;
        await readMultipart(request.raw, {
          field: (_, value) => void (name = value),
          file: () => ({ write: (piece: Buffer) => void (bytes += piece.length), end: () => {} }),
        });
        counts.general++;
        return answer(request.params.fieldId, name, bytes) as { id: string; name: string; bytes: number };
      },
    );
  });
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => server.close(100));
  const { port } = server.app.server.address() as AddressInfo;
  const observed = async (): Promise<number> => {
    const label =
      'tilth_http_request_duration_seconds_count{method="POST",route="/api/v1/data-management/fields/:fieldId/samples",';
    const counted = (await metrics.render()).split('\n').filter((line) => line.startsWith(label));
    return counted.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  return { port, lines, counts, observed };
}

type Sent = { name?: string; headers?: Record<string, string>; target?: string; inPieces?: boolean; body?: Buffer };

/** One call over its own connection. */
async function send(
  port: number,
  { name = 'rye', headers = {}, target = path, inPieces = false, body }: Sent,
): Promise<Answer> {
  const form =
    body ??
    Buffer.from(
      `--b\r\nContent-Disposition: form-data; name="name"\r\n\r\n${name}\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nsoil\r\n--b--\r\n`,
    );
  const all = {
    host: 'tilth',
    connection: 'close',
    authorization: 'Bearer editor',
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': String(form.length),
    ...headers,
  };
  const lines = Object.entries(all).map(([header, value]) => `${header}: ${value}\r\n`);
  const head = Buffer.from(`POST ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const received: Buffer[] = [];
  socket.on('data', (piece: Buffer) => received.push(piece));
  await once(socket, 'connect');
  if (inPieces) {
    socket.write(head);
    await pause(30);
    socket.write(form);
  } else {
    socket.write(Buffer.concat([head, form]));
  }
  await once(socket, 'close');
  const [top = '', text = ''] = Buffer.concat(received).toString('utf8').split('\r\n\r\n');
  const [first = '', ...rest] = top.split('\r\n');
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(rest.map((line) => line.split(': ') as [string, string])),
    body: JSON.parse(text) as Record<string, unknown>,
  };
}

/** Everything that must be equal on both paths: all but the request id and the time. */
function comparable({ status, headers, body }: Answer, line: Record<string, unknown> | undefined) {
  const { 'x-request-id': requestId, Date: date, date: fastifyDate, ...otherHeaders } = headers;
  assert.match(requestId ?? '', /^[0-9a-f]{8}-[0-9a-z]+$/);
  assert.ok((date ?? fastifyDate) !== undefined);
  assert.ok(line);
  assert.equal(line['requestId'], requestId);
  assert.equal(typeof line['durationMs'], 'number');
  const { timestamp: _, ...otherBody } = body;
  const { time: _time, requestId: _id, durationMs: _duration, ...otherLine } = line;
  return { status, headers: otherHeaders, body: otherBody, line: otherLine };
}

const lastLine = (lines: Record<string, unknown>[]) => lines.findLast(({ msg }) => msg === 'request');

for (const name of ['rye', 'busy', 'broken'])
  test(`a form in one piece and one in two are answered, logged and counted alike: ${name}`, async (t) => {
    const { port, lines, counts, observed } = await start(t);
    const whole = comparable(await send(port, { name }), lastLine(lines));
    assert.deepEqual(counts, { taken: 1, general: 0 });
    const failures = lines.filter(({ msg }) => msg === 'a call failed unexpectedly').length;
    const inPieces = comparable(await send(port, { name, inPieces: true }), lastLine(lines));
    assert.deepEqual(counts, { taken: 1, general: 1 });
    assert.deepEqual(whole, inPieces);
    assert.equal(whole.status, { rye: 200, busy: 409, broken: 500 }[name]);
    assert.equal(whole.headers['x-ratelimit-remaining'], '1000', 'the call counts only where the route says so');
    assert.equal(failures, name === 'broken' ? 1 : 0);
    assert.equal(lines.filter(({ msg }) => msg === 'a call failed unexpectedly').length, 2 * failures);
    assert.equal(await observed(), 2);
  });

const unusual: Record<string, { sent: Sent; status: number; options?: Parameters<typeof start>[1] }> = {
  'a form that the route leaves': { sent: { name: 'unusual' }, status: 200 },
  'no credential': { sent: { headers: { authorization: '' } }, status: 401 },
  'a bad credential': { sent: { headers: { authorization: 'Bearer nobody' } }, status: 401 },
  'too weak a role': { sent: { headers: { authorization: 'Bearer viewer' } }, status: 403 },
  'an id that no pattern allows': { sent: { target: path.replace('f-1', 'f%201') }, status: 200 },
  'a query': { sent: { target: `${path}?a=1` }, status: 200 },
  'another content type': { sent: { headers: { 'content-type': 'application/json' } }, status: 415 },
  'an encoded form': { sent: { headers: { 'content-encoding': 'gzip' } }, status: 415 },
  'no form at all': { sent: { body: Buffer.from('soil') }, status: 400 },
  'a form that names its caller through a trusted proxy': {
    sent: { headers: { 'x-forwarded-for': '192.0.2.7' } },
    status: 200,
    options: { trustedProxies: ['127.0.0.1'] },
  },
};

for (const [name, { sent, status, options }] of Object.entries(unusual))
  test(`${name}: left to the general way, with all its bytes`, async (t) => {
    const { port, lines, counts } = await start(t, options);
    const answer = await send(port, sent);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.deepEqual(counts, { taken: 0, general: status === 200 ? 1 : 0 });
    if (status === 200) assert.equal(answer.body['bytes'], 4);
    assert.equal(lines.filter(({ msg }) => msg === 'request').length, 1);
    if (options !== undefined) assert.equal(lastLine(lines)?.['address'], '192.0.2.7');
  });

test('the path is that of the service, whatever a proxy has put in front of it', async (t) => {
  const { port, lines, counts } = await start(t, { basePath: '/tilth' });
  const { body } = await send(port, { name: 'busy', target: `/tilth${path}` });
  assert.deepEqual([counts.taken, body['path'], lastLine(lines)?.['path']], [1, `/tilth${path}`, path]);
});

test('several calls over one connection', async (t) => {
  const { port, counts } = await start(t);
  const socket = connect({ port, host: '127.0.0.1' });
  let received = '';
  socket.setEncoding('utf8').on('data', (piece: string) => (received += piece));
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nsoil\r\n--b--\r\n';
  const call = `POST ${path} HTTP/1.1\r\nhost: t\r\nauthorization: Bearer editor\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${form.length}\r\n\r\n${form}`;
  for (let count = 1; count <= 3; count++) {
    socket.write(call);
    while (received.split('"bytes":4').length <= count) await once(socket, 'data');
  }
  socket.destroy();
  assert.deepEqual(counts, { taken: 3, general: 0 });
});
