import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { ByteStream } from '../kernel/byte-source.ts';
import { createSendBufferPool, largestBufferBytes, smallestBufferBytes } from './send-buffer-pool.ts';
import { openPump } from './byte-pump.ts';

/** An endless stream of zeros; each read calls `onFill`. */
function zeros(onFill: (target: Uint8Array) => void = () => {}): ByteStream & { closed: number } {
  const stream = {
    closed: 0,
    async fill(target: Uint8Array) {
      onFill(target);
      target.fill(0);
      return target.length;
    },
    async close() {
      stream.closed += 1;
    },
  };
  return stream;
}

/** Answers one request with `answer` and returns what the client received; undefined if its connection broke. */
async function exchange(
  answer: (response: ServerResponse) => Promise<void>,
  leaveAfterBytes = Infinity,
): Promise<number | undefined> {
  const answered = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    answer(response).then(answered.resolve, answered.reject);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const received = new Promise<number | undefined>((resolve) => {
    get({ host: '127.0.0.1', port, agent: false }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > leaveAfterBytes) response.destroy();
      });
      response.on('end', () => resolve(bytes));
      response.on('close', () => resolve(undefined));
      response.on('error', () => resolve(undefined));
    });
  });
  try {
    await answered.promise;
    return await received;
  } finally {
    server.close();
  }
}

test('pieces grow while the client is quick, and every buffer comes back', async () => {
  const pool = createSendBufferPool();
  const sizes: number[] = [];
  const stream = zeros((target) => sizes.push(target.length));
  const sizeBytes = 40 * 1024 * 1024 + 1;
  const bytes = await exchange(async (response) => {
    const pump = await openPump(stream, sizeBytes, pool);
    response.writeHead(200, { 'content-length': sizeBytes });
    await pump.run(response);
  });
  assert.equal(bytes, sizeBytes);
  assert.equal(sizes[0], 64 * 1024);
  assert.ok(sizes.includes(largestBufferBytes));
  assert.equal(pool.usedBytes, 0);
  assert.equal(stream.closed, 1);
});

test('at most two pieces are held at a time', async () => {
  const pool = createSendBufferPool();
  let mostBytes = 0;
  const stream = zeros(() => (mostBytes = Math.max(mostBytes, pool.usedBytes)));
  const sizeBytes = 20 * 1024 * 1024;
  await exchange(async (response) => {
    const pump = await openPump(stream, sizeBytes, pool);
    response.writeHead(200, { 'content-length': sizeBytes });
    await pump.run(response);
  });
  assert.ok(mostBytes <= 2 * largestBufferBytes);
});

test('a client that leaves midway: reading stops, buffers come back', async () => {
  const pool = createSendBufferPool();
  const stream = zeros();
  const sizeBytes = 1024 ** 4;
  const bytes = await exchange(async (response) => {
    const pump = await openPump(stream, sizeBytes, pool);
    response.writeHead(200, { 'content-length': sizeBytes });
    await pump.run(response);
  }, 1_000_000);
  assert.equal(bytes, undefined);
  assert.equal(pool.usedBytes, 0);
  assert.equal(stream.closed, 1);
});

test('a source that fails gives its buffers back, before the first piece and after', async () => {
  const pool = createSendBufferPool();
  let calls = 0;
  const failAt = (call: number): ByteStream & { closed: number } => {
    calls = 0;
    return zeros(() => {
      calls += 1;
      if (calls === call) throw new Error('The disk has gone');
    });
  };
  const first = failAt(1);
  await assert.rejects(openPump(first, 10_000_000, pool), /disk/);
  assert.equal(first.closed, 1);
  assert.equal(pool.usedBytes, 0);

  const third = failAt(3);
  const sent = Promise.withResolvers<void>();
  const bytes = await exchange(async (response) => {
    const pump = await openPump(third, 10_000_000, pool);
    response.writeHead(200, { 'content-length': 10_000_000 });
    await assert.rejects(pump.run(response), /disk/);
    response.once('close', sent.resolve);
    response.destroy();
  });
  await sent.promise;
  assert.equal(bytes, undefined);
  assert.equal(third.closed, 1);
  assert.equal(pool.usedBytes, 0);
});

test('the pool gives smaller buffers when much is in use, and the small ones again and again', () => {
  const pool = createSendBufferPool();
  const taken: Buffer[] = [];
  while (pool.usedBytes < 80 * 1024 * 1024) taken.push(pool.take(largestBufferBytes));
  const sizes = taken.map((buffer) => buffer.length);
  assert.deepEqual(
    sizes,
    sizes.toSorted((a, b) => b - a),
  );
  assert.equal(sizes.filter((size) => size === largestBufferBytes).length, 32);
  assert.equal(sizes.at(-1), smallestBufferBytes);
  for (const buffer of taken) pool.give(buffer);
  assert.equal(pool.usedBytes, 0);
  const [again] = [pool.take(largestBufferBytes)];
  assert.ok(again !== undefined && taken.includes(again));
});
