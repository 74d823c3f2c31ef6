import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTP server whose paths are set by the test. */
export type FileServer = {
  url: string;
  host: string;
  /** Path with query → response handler, or content that is served with an ETag and ranges. */
  answers: Map<string, Answer | string | Buffer>;
  requests: { method: string; url: string; headers: IncomingMessage['headers'] }[];
  /** Bytes of bodies sent so far. */
  sentBytes: number;
  close(): Promise<void>;
};

export async function startFileServer(t: { after(end: () => Promise<void>): void }): Promise<FileServer> {
  const http = createServer((request, response) => {
    const url = request.url ?? '';
    server.requests.push({ method: request.method ?? '', url, headers: request.headers });
    const answer = server.answers.get(url);
    if (typeof answer === 'function') answer(request, response);
    else if (answer === undefined) response.writeHead(404).end('nothing here');
    else server.sentBytes += serve(request, response, Buffer.from(answer));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const server: FileServer = {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    answers: new Map(),
    requests: [],
    sentBytes: 0,
    async close() {
      if (!http.listening) return;
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  t.after(server.close);
  return server;
}

export function etagOf(content: string | Buffer): string {
  return `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`;
}

/** Serves content like a file server; returns the bytes of the body. */
function serve(request: IncomingMessage, response: ServerResponse, content: Buffer): number {
  const etag = etagOf(content);
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return 0;
  }
  const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
  const isSame = (request.headers['if-range'] ?? etag) === etag;
  if (from !== undefined && isSame) {
    const rest = content.subarray(Number(from));
    const range = `bytes ${from}-${content.length - 1}/${content.length}`;
    response.writeHead(206, { etag, 'content-range': range, 'content-length': rest.length }).end(rest);
    return rest.length;
  }
  response.writeHead(200, { etag, 'content-length': content.length }).end(content);
  return content.length;
}

/** Responds with a status only. */
export function refuse(status: number, headers: Record<string, string> = {}): Answer {
  return (_request, response) => void response.writeHead(status, headers).end('no');
}

/** Announces `total` bytes, sends a part of them, and closes the connection. */
export function breakOff(content: Buffer, sent: number, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(200, { ...headers, 'content-length': content.length });
    response.write(content.subarray(0, sent), () => response.destroy());
  };
}

/** A body without an end. */
export const endless: Answer = (_request, response) => {
  response.writeHead(200);
  const piece = Buffer.alloc(65_536, 'x');
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
};
