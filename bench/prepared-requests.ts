import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';

/** The bytes of whole requests, in pieces written one after the other. */
export type PreparedRequest = readonly Uint8Array[];

export type PreparedAnswer = { body: string; durationMs: number };

/** Moves this process to the second core and leaves the first one to the servers. */
export async function pinClient(): Promise<void> {
  await promisify(execFile)('taskset', ['-a', '-c', '-p', '1', String(process.pid)]);
}

/** The head of a request and its body, ready to write. */
export function prepareRequest(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: readonly Uint8Array[],
): PreparedRequest {
  const { host, pathname, search } = new URL(url);
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const lines = Object.entries({ ...headers, 'Content-Length': String(length) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n`);
  return length < 65_536 ? [Buffer.concat([head, ...body])] : [head, ...body];
}

const boundary = '----tilth-benchmark';

/** The request of one chunk, with all fields before its bytes. */
export function prepareChunk(
  url: string,
  headers: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, string | number>>,
  bytes: Uint8Array,
): PreparedRequest {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `${parts.join('')}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="blob"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return prepareRequest('POST', url, { ...headers, 'Content-Type': `multipart/form-data; boundary=${boundary}` }, [
    Buffer.from(head),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

/**
 * Sends requests over a fixed number of keep-alive connections; each connection sends its next request after the
 * previous response. Returns the responses in request order and the total seconds. Rejects if a response isn't a
 * success.
 */
export async function sendAll(
  port: number,
  connections: number,
  count: number,
  requestAt: (index: number) => PreparedRequest,
): Promise<{ answers: PreparedAnswer[]; seconds: number }> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const answers = Array.from<PreparedAnswer>({ length: count });
  let next = 0;
  const begun = performance.now();
  try {
    await Promise.all(sockets.map(sendInTurn));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  return { answers, seconds: (performance.now() - begun) / 1000 };

  function sendInTurn(socket: Socket): Promise<void> {
    return new Promise((resolve, reject) => {
      let index = -1;
      let sentAt = 0;
      let received = '';

      function send(): void {
        index = next++;
        if (index >= count) {
          resolve();
          return;
        }
        sentAt = performance.now();
        const pieces = requestAt(index);
        if (pieces.length > 1) socket.cork();
        for (const piece of pieces) socket.write(piece);
        if (pieces.length > 1) socket.uncork();
      }

      socket.on('data', (piece) => {
        received = received === '' ? piece.toString('latin1') : received + piece.toString('latin1');
        const headEnd = received.indexOf('\r\n\r\n');
        if (headEnd === -1) return;
        const length = Number(/\r\ncontent-length: *(\d+)/i.exec(received)?.[1] ?? 0);
        if (received.length < headEnd + 4 + length) return;
        const answer = received;
        received = '';
        if (!answer.startsWith('HTTP/1.1 2')) {
          reject(new Error(`Request ${index} was answered: ${answer.slice(0, 1_000)}`));
          return;
        }
        answers[index] = { body: answer.slice(headEnd + 4), durationMs: performance.now() - sentAt };
        send();
      });
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('The server closed the connection')));
      send();
    });
  }
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}
