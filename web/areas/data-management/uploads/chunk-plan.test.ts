// A file is cut into chunks without gap or overlap, in few enough of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkBytesFor, chunkCount, chunkRange, chunksOf } from './chunk-plan.ts';

const chunkBytes = 4;

test('chunks cover a file without gap or overlap', () => {
  for (const size of [0, 1, 3, 4, 5, 8, 9]) {
    const count = chunkCount(size, chunkBytes);
    let end = 0;
    for (const chunkNo of chunksOf([{ from: 1, to: count }])) {
      const { from, to } = chunkRange(chunkNo, size, chunkBytes);
      assert.equal(from, end);
      end = to;
    }
    assert.equal(end, size);
  }
});

test('chunks are 8 MiB, larger where a file would have over 100,000 of them', () => {
  const mebibyte = 1024 * 1024;
  assert.equal(chunkBytesFor([1, 5 * 1024 * mebibyte]), 8 * mebibyte);
  const huge = 2 * 1024 * 1024 * mebibyte;
  assert.ok(chunkCount(huge, chunkBytesFor([huge])) <= 100_000);
});
