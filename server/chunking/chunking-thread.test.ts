import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxRepetition } from './chunking.ts';
import { ChunkingTimeout, createChunkingThread } from './chunking-thread.ts';

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

test('a preview ends with its caller or its time, and neither it nor a large text keeps a document waiting', async (t) => {
  const thread = createChunkingThread();
  t.after(() => thread.close());
  const chunking = { strategy: 'FIXED', size: 1, overlap: 0, unit: 'CHARACTERS' } as const;
  const large = 'harrow word '.repeat(2_000_000);
  const left = new AbortController();
  let isPreviewed = false;
  const preview = thread.preview(large, chunking, { pages: [], limit: 1, signal: left.signal });
  const abandoned = assert.rejects(
    preview.finally(() => (isPreviewed = true)),
    /left/,
  );
  const slow = thread.preview(large, chunking, { pages: [], limit: 1, limitMs: 1 });
  const short = thread.preview('ab', chunking, { pages: [], limit: 1 });
  const timedOut = assert.rejects(slow, ChunkingTimeout);
  const ingested = new AbortController();
  const stopped = assert.rejects(thread.chunk(large, chunking, [], 'MARKDOWN', ingested.signal), /stopped/);
  assert.equal((await thread.chunk('ab', chunking)).length, 2);
  assert.equal(isPreviewed, false, 'the document did not wait for the preview');
  left.abort(new Error('left'));
  ingested.abort(new Error('stopped'));
  await Promise.all([abandoned, timedOut, stopped]);
  assert.deepEqual(await short, { chunks: [{ text: 'a', start: 0, end: 1, page: null, headings: [] }], total: 2 });
});

test('an overlap that repeats a text too often is refused', async (t) => {
  const thread = createChunkingThread();
  t.after(() => thread.close());
  for (const strategy of ['FIXED', 'SENTENCE', 'RECURSIVE', 'CUSTOM_SEPARATOR'] as const) {
    const chunking = { strategy, size: 5_000, overlap: 4_999, unit: 'CHARACTERS', separators: ['none'] } as const;
    await assert.rejects(thread.chunk('harrow word '.repeat(10_000), chunking), {
      name: 'ChunksRepeatError',
      message: new RegExp(`${maxRepetition} times`),
    });
  }
});
