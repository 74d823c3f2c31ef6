// A bare `node:http` server that does only the work of an upload (reads a body, checks its CRC-32, writes it, responds)
// and serves a file. `node bench/bare-node.ts FILE` prints its URL. `POST /?position=N` writes the body to FILE from N
// on; `POST /` only reads and checks it. The header `x-crc32` holds the expected checksum, `x-answer` the answer to
// send.
import { constants, createReadStream, openSync, statSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from '../server/kernel/crc32.ts';

const file = process.argv[2];
const fd = file === undefined ? undefined : openSync(file, constants.O_RDWR | constants.O_CREAT);
const answers = new Map<string, string>();

const server = createServer((request, response) => {
  if (file !== undefined && request.method === 'GET' && request.url === '/file') {
    response.writeHead(200, { 'content-length': statSync(file).size });
    createReadStream(file).pipe(response);
    return;
  }
  const answer = request.headers['x-answer'];
  let position = Number(/\?position=(\d+)/.exec(request.url ?? '')?.[1] ?? -1);
  let crc = 0;
  request.on('data', (bytes: Buffer) => {
    crc = crc32(bytes, crc);
    if (fd === undefined || position === -1) return;
    writeSync(fd, bytes, 0, bytes.length, position);
    position += bytes.length;
  });
  request.on('end', () => {
    const expected = request.headers['x-crc32'];
    const isRight = expected === undefined || Number.parseInt(String(expected), 16) === crc;
    const body = answerOf(String(answer ?? 200));
    response.writeHead(isRight ? 200 : 400, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
    });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));

/** A JSON response of this many bytes. */
function answerOf(length: string): string {
  const known = answers.get(length);
  if (known !== undefined) return known;
  const body = JSON.stringify({ answer: ''.padEnd(Math.max(0, Number(length) - 13), 'x') });
  answers.set(length, body);
  return body;
}
