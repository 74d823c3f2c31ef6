import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { toTar } from '../../../../tests/contract/archive-bytes.ts';
import { openArchiveTarget } from '../../../../tests/support/archive-target.ts';
import { sharedApp } from '../../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

test('a client that sends all of a refused archive before it reads gets its answer', { timeout: 60_000 }, async () => {
  const app = await shared.open();
  const base = (await openArchiveTarget(app)).base;
  const { hostname, port } = new URL(app.url);
  const good = toTar([{ name: 'a', content: Buffer.alloc(24 * 1024 * 1024) }]);
  const bad = Buffer.alloc(512, 7);
  const bodies: [string, Buffer, RegExp][] = [
    ['a bad first header', Buffer.concat([bad, good]), /no tar/],
    ['no gzip', Buffer.concat([Buffer.from([0x1f, 0x8b, 9]), good]), /gzip/],
    ['a bad header further on', Buffer.concat([toTar([{ name: 'b' }]).subarray(0, 512), bad, good]), /no tar/],
  ];
  for (const [name, body, reason] of bodies) {
    for (const connection of ['keep-alive', 'close']) {
      const head = `POST /api/v1${base}/upload/stream?format=tar HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nAuthorization: Bearer ${app.token}\r\nContent-Length: ${body.length}\r\n\r\n`;
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname);
        socket.on('error', reject).pause();
        socket.write(Buffer.concat([Buffer.from(head), body]), () => {
          socket.on('close', () => reject(new Error('Closed without an answer')));
          socket.once('data', (piece) => {
            resolve(piece.toString());
            socket.destroy();
          });
          socket.resume();
        });
      });
      assert.match(answer, /^HTTP\/1\.1 400 /, `${name}, ${connection}`);
      assert.match(answer, reason, `${name}, ${connection}`);
    }
  }
});
