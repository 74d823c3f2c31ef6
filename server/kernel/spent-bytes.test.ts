import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeBytes } from './spent-bytes.ts';

test('memory is given back only where the bytes are all of it', () => {
  const whole = Buffer.alloc(65_536);
  freeBytes(whole);
  assert.equal(whole.length, 0);

  const shared = Buffer.alloc(65_536);
  freeBytes(shared.subarray(1));
  freeBytes(shared.subarray(0, 40_000));
  assert.equal(shared.length, 65_536);

  const small = Buffer.from('few');
  freeBytes(small);
  assert.equal(small.toString(), 'few');
  freeBytes(new Uint8Array(new SharedArrayBuffer(65_536)));
});
