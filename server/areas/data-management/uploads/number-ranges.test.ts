import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createNumberRanges, toRanges } from './number-ranges.ts';

test('holds what a set holds, in as few runs as there are', () => {
  const step = fc.record({
    kind: fc.constantFrom('add' as const, 'add' as const, 'delete' as const),
    number: fc.nat(30),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const ranges = createNumberRanges();
      const set = new Set<number>();
      for (const { kind, number } of steps) {
        ranges[kind](number);
        set[kind](number);
      }
      for (let number = 0; number <= 31; number++) assert.equal(ranges.has(number), set.has(number));
      assert.equal(ranges.runs, toRanges([...set].sort((a, b) => a - b)).length);
    }),
  );
});

test('ascending numbers become ranges', () => {
  assert.deepEqual(toRanges([]), []);
  assert.deepEqual(toRanges([1, 2, 3, 7]), [
    { from: 1, to: 3 },
    { from: 7, to: 7 },
  ]);
});
