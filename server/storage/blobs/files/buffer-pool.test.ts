import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestStore, patternBytes, readBlob, adoptAll } from '../../../../tests/support/blobs.ts';
import { createBufferPool, pieceBytes, type PoolBuffer } from './buffer-pool.ts';

test('who waits gets the buffer that is given back first', async () => {
  const pool = createBufferPool({ buffers: 2, idleMs: 60_000 });
  const holder = { spill: (): void => assert.fail('nobody was idle') };
  const first = await pool.take(holder);
  const second = await pool.take(holder);
  assert.notEqual(first.offset, second.offset);
  assert.equal(first.bytes.length, pieceBytes);
  const waiting = [pool.take(holder), pool.take(holder)].map(async (buffer) => buffer);
  pool.give(second);
  pool.give(first);
  assert.deepEqual(await Promise.all(waiting), [second, first]);
});

test('an idle holder loses its buffer to one who waits, a busy one never does', async () => {
  const pool = createBufferPool({ buffers: 2, idleMs: 5 });
  let spilt = 0;
  let idle: PoolBuffer | undefined;
  idle = await pool.take({
    spill() {
      spilt++;
      if (idle !== undefined) pool.give(idle);
    },
  });
  const onItsWay = await pool.take({ spill: () => assert.fail('it is on its way to the disk') });
  pool.keep(onItsWay);
  assert.equal(await pool.take({ spill() {} }), idle);
  assert.equal(spilt, 1);
});

test('a hundred slow writers hold up nobody', async (t) => {
  const { store, db } = await openTestStore(t);
  const slow = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const assembly = await store.createAssembly({ totalChunks: 1, chunkSizeBytes: null });
      const writer = await assembly.openChunk(1);
      await writer.write(patternBytes(index, 40_000));
      return { assembly, writer, index };
    }),
  );
  const quick = await store.createAssembly({ totalChunks: 1, chunkSizeBytes: null });
  const writer = await quick.openChunk(1);
  await writer.write(patternBytes(500, 5_000_000));
  assert.equal(await writer.finish(), 'received');
  for (const { assembly, writer: late, index } of slow) {
    await late.write(patternBytes(1000 + index, 1_100_000));
    assert.equal(await late.finish(), 'received');
    const staged = await assembly.seal();
    await adoptAll(store, db, [staged]);
    const whole = Buffer.concat([patternBytes(index, 40_000), patternBytes(1000 + index, 1_100_000)]);
    assert.ok((await readBlob(store, staged.id)).equals(whole));
  }
});
