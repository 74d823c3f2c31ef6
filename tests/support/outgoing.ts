// Servers on this machine, and the ways to call them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { parseDestination } from '../../server/kernel/destination.ts';
import { createOutgoing, OutgoingError, type GuardedFetch, type Outgoing } from '../../server/outgoing/index.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server for HTTP; returns its URL. */
export async function serveHttp(t: TestContext, answer: Answer): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A raw TCP server: it receives the socket once a request has begun to arrive. */
export async function serveRaw(t: TestContext, answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Calls that may go to this machine. */
export function openOutgoing(t: TestContext): Outgoing {
  const outgoing = createOutgoing({ allow: [parseDestination('127.0.0.1')], connectTimeoutMs: 2_000 });
  t.after(() => outgoing.close());
  return outgoing;
}

/** Both functions for HTTP calls, each in the form of `fetch`. */
export const ways: readonly (readonly [name: string, way: (outgoing: Outgoing) => GuardedFetch])[] = [
  ['fetch', ({ fetch }) => fetch],
  [
    'exchange',
    ({ exchange }) =>
      async (url, { method, headers, body, signal, totalMs = 60_000, maxBytes = 1_000_000 } = {}) => {
        const given = Object.fromEntries(new Headers(headers as Record<string, string>));
        const options = { method, headers: given, body, signal: signal ?? undefined, totalMs, maxBytes };
        const answer = await exchange(url, options);
        const pairs = Object.entries(answer.headers).flatMap(([name, value]) =>
          [value ?? []].flat().map((each): [string, string] => [name, each]),
        );
        return new Response(new Uint8Array(answer.body), { status: answer.status, headers: pairs });
      },
  ],
];

/** The error with which a call must end. */
export async function failureOf(call: Promise<Response>): Promise<OutgoingError> {
  const outcome = await call
    .then((response) => response.text())
    .then(
      (text) => new Error(`it was answered ${text.slice(0, 100)}`),
      (error: unknown) => error,
    );
  assert.ok(outcome instanceof OutgoingError, String(outcome));
  return outcome;
}
