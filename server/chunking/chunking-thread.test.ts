import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChunkingThread } from './chunking-thread.ts';

test('a text whose chunks need too much memory fails alone', async (t) => {
  const thread = createChunkingThread({ memoryMb: 64 });
  t.after(() => thread.close());
  const chunking = { strategy: 'FIXED', size: 1, overlap: 0, unit: 'CHARACTERS' } as const;
  const [first, tooMany, last] = await Promise.allSettled([
    thread.chunk('ab', chunking),
    thread.chunk('soil '.repeat(1_000_000), chunking),
    thread.chunk('cd', chunking),
  ]);
  assert.equal(first.status, 'fulfilled');
  assert.match(String(tooMany.status === 'rejected' && tooMany.reason), /memory/);
  assert.deepEqual(last.status === 'fulfilled' && last.value.map(({ text }) => text), ['c', 'd']);
});
