import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlicer } from './slices.ts';

test('batches grow while they are quick, and shrink while they are slow', () => {
  const samples = Array.from({ length: 5000 }, () => 'text');
  const slicer = createSlicer();
  const first = slicer.cut(samples, 0).length;
  for (let call = 0; call < 10; call += 1) slicer.took(slicer.cut(samples, 0).length, 1, 3);
  const grown = slicer.cut(samples, 0).length;
  for (let call = 0; call < 20; call += 1) slicer.took(slicer.cut(samples, 0).length, 10_000, 3);
  assert.ok(first < grown && grown <= 1024, `${first}, ${grown}`);
  assert.equal(slicer.cut(samples, 0).length, 1);
});

test('a batch holds little text, and at least one sample', () => {
  const long = 'x'.repeat(200_000);
  const slicer = createSlicer();
  assert.equal(slicer.cut([long, long, long], 0).length, 1);
  assert.equal(slicer.cut([long.repeat(10), 'a'], 0).length, 1);
  assert.equal(slicer.cut([{ text: 'a' }, 'b', long], 0).length, 3);
});
