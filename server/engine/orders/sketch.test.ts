import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { MeasureScale } from '../../operators/index.ts';
import { addValue, createSketch, histogramOf, mergeSketch, quantilesOf, storedSketch, type Sketch } from './sketch.ts';

function sketchOf(values: readonly number[], scale: MeasureScale): Sketch {
  const sketch = createSketch();
  for (const value of values) addValue(sketch, scale, value);
  return sketch;
}

const counts = fc.array(fc.oneof(fc.nat(80), fc.nat(5000), fc.nat(2_000_000_000)), { minLength: 1, maxLength: 300 });
const shares = fc.array(
  fc.nat(10_000).map((value) => value / 10_000),
  { minLength: 1, maxLength: 300 },
);
const values = fc.array(
  // Sketches store negative zero as zero.
  fc.double({ noNaN: true, min: -1e6, max: 1e6 }).map((value) => (value === 0 ? 0 : value)),
  { minLength: 1, maxLength: 300 },
);

test('a negative zero is stored as it comes back', () => {
  const sketch = storedSketch(sketchOf([-0], 'VALUE'));
  assert.deepEqual(JSON.parse(JSON.stringify(sketch)), sketch);
});

for (const [scale, arbitrary] of [
  ['COUNT', counts],
  ['SHARE', shares],
  ['VALUE', values],
] as const) {
  test(`a sketch of parts is that of the whole: ${scale}`, () => {
    fc.assert(
      fc.property(arbitrary, fc.nat(300), (all, cut) => {
        const merged = createSketch();
        for (const part of [all.slice(0, cut), all.slice(cut)]) {
          // As read back from the database.
          mergeSketch(merged, JSON.parse(JSON.stringify(storedSketch(sketchOf(part, scale)))));
        }
        assert.deepEqual(storedSketch(merged), storedSketch(sketchOf(all, scale)));
      }),
    );
  });

  test(`quantiles are near the exact ones: ${scale}`, () => {
    fc.assert(
      fc.property(arbitrary, (all) => {
        const sorted = all.toSorted((one, other) => one - other);
        const quantiles = quantilesOf(sketchOf(all, scale), scale);
        assert.ok(quantiles !== null);
        assert.deepEqual([quantiles.p0, quantiles.p100], [sorted[0], sorted.at(-1)]);
        for (const [name, share] of [
          ['p5', 0.05],
          ['p25', 0.25],
          ['p50', 0.5],
          ['p75', 0.75],
          ['p95', 0.95],
        ] as const) {
          const exact = sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
          const allowed =
            scale === 'SHARE'
              ? 0.001_001
              : 0.5 * Number(scale === 'COUNT' && exact > 128) + 0.0101 * Math.abs(exact) + 2e-4;
          assert.ok(Math.abs(quantiles[name] - exact) <= allowed, `${name}: ${quantiles[name]} for ${exact}`);
        }
      }),
    );
  });
}

for (const [scale, arbitrary] of [
  ['COUNT', counts],
  ['SHARE', shares],
] as const) {
  test(`each bin of a histogram counts exactly its values: ${scale}`, () => {
    fc.assert(
      fc.property(arbitrary, (all) => {
        const bins = histogramOf(sketchOf(all, scale), scale);
        assert.ok(bins.length <= 42, `${bins.length} bins`);
        for (const [index, { from, to, count }] of bins.entries()) {
          assert.equal(all.filter((value) => value >= from && value < to).length, count, `${from} to ${to}`);
          assert.equal(bins[index + 1]?.from ?? to, to);
        }
        assert.equal(
          bins.reduce((sum, { count }) => sum + count, 0),
          all.length,
        );
      }),
    );
  });
}

test('without values there are no bins and no quantiles', () => {
  const sketch = sketchOf([Number.NaN, Infinity], 'VALUE');
  assert.deepEqual([histogramOf(sketch, 'VALUE'), quantilesOf(sketch, 'VALUE')], [[], null]);
});
