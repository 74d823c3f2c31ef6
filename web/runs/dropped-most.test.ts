import assert from 'node:assert/strict';
import { test } from 'node:test';
import { droppedMost } from './dropped-most.ts';

test('a cleaning run that dropped more than half of its samples says so, a collection with unchanged items does not', () => {
  const cases: [prefix: string, all: number, dropped: number, said: boolean][] = [
    ['data-cleaning', 10, 6, true],
    ['data-cleaning', 10, 10, true],
    ['data-cleaning', 1, 1, true],
    ['data-cleaning', 10, 5, false],
    ['data-cleaning', 0, 0, false],
    ['data-collection', 10, 10, false],
    ['data-synthesis', 10, 9, false],
  ];
  for (const [prefix, all, dropped, said] of cases)
    assert.equal(droppedMost(prefix, { in: all, dropped }), said, `${prefix}: ${dropped} of ${all}`);
});
