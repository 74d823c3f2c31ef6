import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { asBuffer, copyBytes } from './copy-bytes.ts';

test('every byte arrives in shared memory and no other is touched, whatever the alignment', () => {
  const given = randomBytes(300);
  for (const length of [0, 1, 2, 7, 8, 9, 255])
    for (const from of [0, 1, 3, 8])
      for (const at of [0, 1, 5, 8]) {
        const target = Buffer.from(new SharedArrayBuffer(300));
        copyBytes(given.subarray(from, from + length), target, at);
        const expected = Buffer.alloc(300);
        expected.set(given.subarray(from, from + length), at);
        assert.deepEqual(Buffer.from(target), expected, `${length} bytes from ${from} to ${at}`);
      }
});

test('bytes of an array are copied where they stand', () => {
  const array = new Uint8Array([1, 2, 3, 4, 5]).subarray(1, 4);
  const target = Buffer.alloc(4);
  copyBytes(asBuffer(array), target, 1);
  assert.deepEqual([...target], [0, 2, 3, 4]);
});
