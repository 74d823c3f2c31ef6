import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createThresholdScale, type ScaleOptions } from './threshold-scale.ts';

const scaleOf = (options: Partial<ScaleOptions>) =>
  createThresholdScale({ scores: [], min: 0, max: 1_000_000_000, isInteger: true, was: 1_000_000_000, ...options });

test('an equal way takes in an equal share of the samples, however far a bound is', () => {
  const scores = Array.from({ length: 1_001 }, (_, index) => index ** 2);
  const scale = scaleOf({ scores });
  for (const share of [0.1, 0.25, 0.5, 0.75, 0.9]) {
    const value = scale.toValue(share);
    const below = scores.filter((score) => score < value).length / scores.length;
    assert.ok(Math.abs(below - share) < 0.06, `${below} of the samples are below ${value}, at ${share}`);
  }
  assert.equal(scale.toValue(0), 0);
  assert.equal(scale.toValue(1), 1_000_001, 'beyond the highest score');
  assert.equal(scale.toPosition(1_000_000_000), 1);
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
