import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';

/** The exact bytes to send: the path is sent unchanged, without any normalisation. */
export type HttpRequest = {
  url: string;
  method: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer | AsyncIterable<Buffer>;
};

export type HttpAnswer = { status: number; headers: IncomingHttpHeaders; bytes: Buffer };

/** A response that takes longer counts as a hang. */
const answerTimeoutMs = 30_000;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/**
 * One HTTP exchange. An early response to a body that is still being sent counts; a connection broken without one throws.
 */
export function exchange({ url, method, path, headers = {}, body }: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const framing = Buffer.isBuffer(body) ? { 'Content-Length': String(body.length) } : {};
    const request = httpRequest({ agent, hostname, port, method, path, headers: { ...framing, ...headers } });
    let answered = false;
    const timer = setTimeout(() => {
      request.destroy(new Error(`${method} ${path.slice(0, 200)} had no answer within ${answerTimeoutMs} ms`));
    }, answerTimeoutMs);
    request.on('response', (response) => {
      answered = true;
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      response.on('end', () => {
        clearTimeout(timer);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(parts) });
      });
    });
    request.on('error', (error) => {
      if (answered) return;
      clearTimeout(timer);
      reject(error);
    });
    if (body === undefined || Buffer.isBuffer(body)) request.end(body);
    else void sendParts(request, body);
  });
}

async function sendParts(request: ReturnType<typeof httpRequest>, parts: AsyncIterable<Buffer>): Promise<void> {
  for await (const part of parts) {
    if (request.destroyed) return;
    if (!request.write(part)) {
      await new Promise<void>((resolve) => {
        request.once('drain', resolve);
        request.once('close', resolve);
      });
    }
  }
  request.end();
}

/** Lets a test file end: idle connections would keep its process alive. */
export function closeIdleConnections(): void {
  agent.destroy();
}
