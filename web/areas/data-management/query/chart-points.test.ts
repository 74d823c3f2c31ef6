import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartOf } from './chart-points.ts';

test('bars and lines have a point for each row with a number', () => {
  const rows = [
    ['a', 1],
    ['b', null],
    [null, '9007199254740993'],
  ];
  assert.deepEqual(chartOf(rows, 'bar', 0, 1), [
    { label: 'a', value: 1 },
    { label: 'null', value: 9007199254740992 },
  ]);
  assert.equal(
    chartOf(
      Array.from({ length: 500 }, (_, at) => [at]),
      'bar',
      undefined,
      0,
    ).length,
    100,
  );
});

test('a histogram counts all values', () => {
  const points = chartOf(
    Array.from({ length: 1_000 }, (_, at) => [at]),
    'histogram',
    undefined,
    0,
  );
  assert.equal(points.length, 20);
  assert.equal(
    points.reduce((sum, { value }) => sum + value, 0),
    1_000,
  );
  assert.deepEqual(chartOf([[7], [7]], 'histogram', undefined, 0), [{ label: '7', value: 2 }]);
  assert.deepEqual(chartOf([], 'histogram', undefined, 0), []);
});
