import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ending } from './server.ts';

/** A proxy that simulates a service that has not computed its checksums yet. */
export type LateChecksums = {
  url: string;
  /** Calls that asked for one file, in their order. */ asked: readonly string[];
};

/** Hides the SHA-256 of all files in lists, and of each file in the first call that requests it alone. */
export async function startLateChecksums(t: Ending, target: string): Promise<LateChecksums> {
  const asked: string[] = [];
  async function pass(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0] ?? '';
    const body: Buffer[] = [];
    for await (const piece of request) body.push(piece as Buffer);
    const { method = 'GET', headers } = request;
    const { 'x-api-key': key = '', 'content-type': type, range } = headers;
    const answer = await fetch(`${target}${request.url}`, {
      method,
      headers: {
        'x-api-key': String(key),
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(range === undefined ? {} : { range }),
      },
      ...(body.length === 0 ? {} : { body: Buffer.concat(body) }),
    });
    let bytes = Buffer.from(await answer.arrayBuffer());
    const isFile = method === 'GET' && /\/files\/[0-9a-f-]{36}$/.test(path);
    if (method === 'GET' && (path.endsWith('/files') || (isFile && !asked.includes(path))))
      bytes = Buffer.from(bytes.toString().replaceAll(/"sha256":"[0-9a-f]{64}"/g, '"sha256":null'));
    if (isFile) asked.push(path);
    reply.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/octet-stream',
    });
    reply.end(bytes);
  }

  const front = createServer((request, reply) => {
    pass(request, reply).catch(() => reply.destroy());
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  t.after(async () => {
    front.closeAllConnections();
    front.close();
  });
  return { url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, asked };
}
