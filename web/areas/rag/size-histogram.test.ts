import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binsOf } from './size-histogram.ts';

test('sizes are counted in bins of round width from nothing to the largest', () => {
  assert.deepEqual(binsOf([], 10), []);
  const bins = binsOf([1, 2, 95, 100], 10);
  assert.deepEqual(
    [bins.length, bins[0], bins.at(-1)],
    [10, { from: 0, to: 10, count: 2 }, { from: 90, to: 100, count: 2 }],
  );
  assert.equal(
    binsOf([7, 333, 800, 801], 24).reduce((sum, { count }) => sum + count, 0),
    4,
  );
  assert.deepEqual(binsOf([5], 10), [
    { from: 0, to: 1, count: 0 },
    { from: 1, to: 2, count: 0 },
    { from: 2, to: 3, count: 0 },
    { from: 3, to: 4, count: 0 },
    { from: 4, to: 5, count: 1 },
  ]);
});
