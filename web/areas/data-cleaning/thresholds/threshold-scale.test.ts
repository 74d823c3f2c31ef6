import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countBins, createThresholdScale, valueByKey, type ScaleOptions } from './threshold-scale.ts';

const scaleOf = (options: Partial<ScaleOptions>) =>
  createThresholdScale({ scores: [], min: 0, max: 1_000_000_000, isInteger: true, was: 1_000_000_000, ...options });

test('a scale ends where the scores end, however far a bound is', () => {
  const scale = scaleOf({ scores: Array.from({ length: 101 }, (_, index) => index) });
  assert.equal(scale.toValue(0), 0);
  assert.equal(scale.toValue(0.5), 51);
  assert.equal(scale.toValue(1), 101, 'beyond the highest score');
  assert.equal(scale.toPosition(1_000_000_000), 1);
});

test('few scores far above the others do not push the others together', () => {
  const scores = [...Array.from({ length: 99 }, (_, index) => index), 1_000_000];
  const scale = scaleOf({ scores });
  assert.ok(scale.toPosition(98) > 0.25, String(scale.toPosition(98)));
});

test('a histogram counts each score once', () => {
  const scores = [0, 1, 1, 2, 50, 99, 100];
  const counts = countBins(scores, scaleOf({ scores }), 4);
  assert.equal(counts.length, 4);
  assert.equal(
    counts.reduce((all, count) => all + count, 0),
    scores.length,
  );
  assert.equal(counts[0], 4, 'the four lowest');
});

test('keys lead to the next whole number, and stay within the bounds', () => {
  const of = (value: number) => ({ value, min: 0, max: 30, isInteger: true });
  assert.equal(valueByKey('ArrowRight', of(20)), 21);
  assert.equal(valueByKey('ArrowDown', of(20)), 19);
  assert.equal(valueByKey('PageUp', of(25)), 30);
  assert.equal(valueByKey('ArrowLeft', of(0)), 0);
  assert.equal(valueByKey('ArrowUp', { value: 0.3, min: 0, max: 1, isInteger: false }), 0.31);
  assert.equal(valueByKey('Tab', of(20)), undefined);
});

test('positions and values lead back to each other, in order', () => {
  const scales = [
    scaleOf({ scores: [3, 3, 3, 9, 200, 4_000], was: 5 }),
    scaleOf({ scores: [0.1, 0.2, 0.2, 0.9], isInteger: false, max: 1, was: 0.3 }),
    scaleOf({ scores: [7], was: 7 }),
    scaleOf({ was: 40 }),
    scaleOf({ was: 1_000_000_000 }),
    scaleOf({ isInteger: false, max: 1, was: 0.3 }),
    scaleOf({ isInteger: false, max: undefined, min: undefined, was: Number.NaN }),
  ];
  for (const scale of scales) {
    const values = Array.from({ length: 11 }, (_, index) => scale.toValue(index / 10));
    assert.deepEqual(
      values,
      values.toSorted((a, b) => a - b),
    );
    assert.ok((values[10] ?? 0) > (values[0] ?? 0), String(values));
    for (const value of values) {
      assert.ok(Number.isFinite(value));
      assert.equal(scale.toValue(scale.toPosition(value)), value);
    }
  }
});

test('a slider goes no further than the parameter', () => {
  const scale = scaleOf({ scores: [0, 0.4, 1], isInteger: false, min: 0, max: 1 });
  assert.equal(scale.toValue(0), 0);
  assert.equal(scale.toValue(1), 1);
  assert.ok(scale.marks.length >= 2);
});
