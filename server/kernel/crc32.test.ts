import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { crc32, createCrc32Combiner } from './crc32.ts';

test('the CRC-32 is that of zlib, in one go or in pieces', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), (bytes, cut) => {
      const first = bytes.subarray(0, cut);
      assert.equal(crc32(bytes), zlibCrc32(bytes));
      assert.equal(crc32(bytes.subarray(first.length), crc32(first)), zlibCrc32(bytes));
    }),
  );
});

test('combined CRCs are those of the joined bytes', () => {
  const combine = createCrc32Combiner();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.uint8Array({ maxLength: 5000 }), (a, b) => {
      assert.equal(combine(crc32(a), crc32(b), b.length), crc32(Buffer.concat([a, b])));
    }),
  );
});

test('sizes beyond 32 bits combine as the same zeros written out would', () => {
  const combine = createCrc32Combiner();
  // Zeros double: CRC(2n zeros) from CRC(n zeros); 2^33 bytes by doubling equal 2^33 at once.
  let crc = crc32(new Uint8Array(1));
  for (let size = 1; size < 2 ** 33; size *= 2) crc = combine(crc, crc, size);
  let byHalves = crc32(new Uint8Array(0));
  const chunk = crc32(new Uint8Array(2 ** 23));
  for (let count = 0; count < 2 ** 10; count++) byHalves = combine(byHalves, chunk, 2 ** 23);
  assert.equal(byHalves, crc);
});
