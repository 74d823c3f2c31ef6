import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ifRangeHolds, matchHolds, maxRanges, noneMatchHolds, parseRange, type RangeAnswer } from './byte-range.ts';

const whole: RangeAnswer = { kind: 'whole' };
const unsatisfiable: RangeAnswer = { kind: 'unsatisfiable' };
const ranges = (...list: [number, number][]): RangeAnswer => ({
  kind: 'ranges',
  ranges: list.map(([start, end]) => ({ start, end })),
});

const cases: [header: string, sizeBytes: number, answer: RangeAnswer][] = [
  ['bytes=0-0', 10, ranges([0, 1])],
  ['bytes=2-5', 10, ranges([2, 6])],
  ['bytes=2-', 10, ranges([2, 10])],
  ['bytes=-3', 10, ranges([7, 10])],
  ['bytes=-30', 10, ranges([0, 10])],
  ['bytes=9-99', 10, ranges([9, 10])],
  ['BYTES = 2-5', 10, whole],
  ['Bytes=2-5', 10, ranges([2, 6])],
  ['bytes= 2-5 ', 10, ranges([2, 6])],
  ['bytes=2 - 5', 10, whole],
  ['bytes=10-', 10, unsatisfiable],
  ['bytes=10-20', 10, unsatisfiable],
  ['bytes=-0', 10, unsatisfiable],
  ['bytes=99999999999999999999999-', 10, unsatisfiable],
  ['bytes=0-99999999999999999999999', 10, ranges([0, 10])],
  ['bytes=0-', 0, unsatisfiable],
  ['bytes=-5', 0, whole],
  ['bytes=5-2', 10, whole],
  ['bytes=', 10, whole],
  ['bytes=,', 10, whole],
  ['bytes=-', 10, whole],
  ['bytes=a-b', 10, whole],
  ['bytes=1-2-3', 10, whole],
  ['bytes=+1-2', 10, whole],
  ['bytes=0x1-2', 10, whole],
  ['bytes=1-2,x', 10, whole],
  ['items=0-1', 10, whole],
  ['', 10, whole],
  ['bytes=0-1,4-5', 10, ranges([0, 2], [4, 6])],
  ['bytes=4-5,0-1', 10, ranges([4, 6], [0, 2])],
  ['bytes=0-1,,4-5,', 10, ranges([0, 2], [4, 6])],
  ['bytes=0-1,2-3', 10, ranges([0, 2], [2, 4])],
  ['bytes=0-1,50-60', 10, ranges([0, 2])],
  ['bytes=50-60,70-', 10, unsatisfiable],
  ['bytes=0-5,3-8', 10, whole],
  ['bytes=0-,0-,0-,0-', 10, whole],
  [`bytes=${Array.from({ length: maxRanges + 1 }, (_, n) => `${2 * n}-${2 * n}`).join()}`, 100, whole],
];

for (const [header, sizeBytes, answer] of cases) {
  test(`Range "${header}" of ${sizeBytes} bytes`, () => {
    assert.deepEqual(parseRange(header, sizeBytes), answer);
  });
}

test('every pair of positions selects what slice() selects', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.nat(60), fc.nat(60), (sizeBytes, first, length) => {
      const answer = parseRange(`bytes=${first}-${first + length}`, sizeBytes);
      const bytes = Array.from({ length: sizeBytes }, (_, index) => index).slice(first, first + length + 1);
      if (bytes.length === 0) assert.deepEqual(answer, unsatisfiable);
      else assert.deepEqual(answer, ranges([bytes[0] ?? -1, (bytes.at(-1) ?? -1) + 1]));
    }),
    { numRuns: 2_000 },
  );
});

test('whatever a client sends, ranges lie within the bytes and never overlap', () => {
  const header = fc.stringMatching(/^bytes=[0-9,\- ]{0,40}$/);
  fc.assert(
    fc.property(fc.oneof(header, fc.string()), fc.nat(100), (value, sizeBytes) => {
      const answer = parseRange(value, sizeBytes);
      if (answer.kind !== 'ranges') return;
      let sumBytes = 0;
      for (const { start, end } of answer.ranges) {
        assert.ok(start >= 0 && start < end && end <= sizeBytes);
        sumBytes += end - start;
      }
      assert.ok(sumBytes <= sizeBytes);
    }),
    { numRuns: 5_000 },
  );
});

test('If-None-Match compares weakly, If-Match and If-Range strongly', () => {
  for (const header of ['"a"', 'W/"a"', '*', '"b", "a"', '"b",W/"a"']) assert.ok(noneMatchHolds(header, 'a'), header);
  for (const header of ['"b"', 'a', '"A"', '', '"*"', 'W/"b"']) assert.ok(!noneMatchHolds(header, 'a'), header);
  for (const header of ['"a"', '*', '"b", "a"']) assert.ok(matchHolds(header, 'a'), header);
  for (const header of ['W/"a"', '"b"', '', 'a']) assert.ok(!matchHolds(header, 'a'), header);
  assert.ok(ifRangeHolds('"a"', 'a'));
  for (const header of ['W/"a"', '"b"', 'a', '*', '"a", "b"', 'Fri, 20 Nov 2026 08:00:00 GMT'])
    assert.ok(!ifRangeHolds(header, 'a'), header);
});
