import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ending } from './server.ts';

/** How a call fails. */
export type Fault =
  | { kind: 'status'; status: number; code: string }
  /** The server executes the call, but the response never arrives. */
  | { kind: 'lost-answer' }
  /** The body of the response ends after this many bytes. */
  | { kind: 'cut'; afterBytes: number }
  /** Nothing happens until the client gives up. */
  | { kind: 'silence' }
  | { kind: 'garbage-etag' };

export type S3Call = { method: string; path: string; query: URLSearchParams };

export type FaultyS3 = {
  endpoint: string;
  /** Calls so far. */
  calls: S3Call[];
  /** Decides for each call; undefined lets it through. */
  decide: (call: S3Call) => Fault | undefined;
};

/** A misbehaving proxy in front of an S3 server. The signatures stay valid, because the client's Host header is passed on. */
export async function startFaultyS3(t: Ending, upstream: string): Promise<FaultyS3> {
  const target = new URL(upstream);
  const faulty: FaultyS3 = { endpoint: '', calls: [], decide: () => undefined };
  const server = createServer((incoming, answer) => {
    const url = new URL(incoming.url ?? '/', 'http://s3');
    const call = { method: incoming.method ?? '', path: decodeURIComponent(url.pathname), query: url.searchParams };
    faulty.calls.push(call);
    void serve(target, incoming, answer, faulty.decide(call));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  faulty.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return faulty;
}

async function serve(
  target: URL,
  incoming: IncomingMessage,
  answer: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  if (fault?.kind === 'silence') return;
  if (fault?.kind === 'status') {
    incoming.resume();
    incoming.once('end', () => {
      answer.writeHead(fault.status, { 'content-type': 'application/xml' });
      answer.end(`<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>Told to</Message></Error>`);
    });
    return;
  }
  const passed = request({
    host: target.hostname,
    port: target.port,
    method: incoming.method,
    path: incoming.url,
    headers: incoming.headers,
  });
  incoming.pipe(passed);
  incoming.once('error', () => passed.destroy());
  passed.once('error', () => answer.destroy());
  passed.once('response', (reply) => {
    if (fault?.kind === 'lost-answer') {
      reply.resume();
      reply.once('end', () => answer.destroy());
      return;
    }
    const headers = { ...reply.headers };
    if (fault?.kind === 'garbage-etag') headers.etag = '"weeds"';
    answer.writeHead(reply.statusCode ?? 500, headers);
    if (fault?.kind !== 'cut') {
      reply.pipe(answer);
      return;
    }
    let sent = 0;
    reply.on('data', (bytes: Buffer) => {
      const left = fault.afterBytes - sent;
      sent += bytes.length;
      if (left > 0) answer.write(bytes.subarray(0, left));
      if (sent >= fault.afterBytes) {
        // Lets written bytes leave before the connection breaks.
        setTimeout(() => answer.destroy(), 20);
        reply.destroy();
      }
    });
    reply.once('end', () => answer.end());
  });
}
