import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '../../../../tests/support/seeded-random.ts';
import type { LedgerLine } from '../../orders/ledger-line.ts';
import { createRethresholdCounter } from './rethreshold.ts';
import type { Rethresholded, Bound } from '../../orders/rethresholding.ts';

type Thresholds = readonly { min: number; max: number }[];

/** The ledger line of a sample with these scores, in a run whose steps are all filters. */
function lineOf(scores: readonly number[], thresholds: Thresholds): LedgerLine {
  const seen: Record<string, number> = {};
  for (const [step, { min, max }] of thresholds.entries()) {
    const score = scores[step] ?? 0;
    seen[step] = score;
    if (score < min || score > max) return [0, 0, 'DROPPED', step, 'out of bounds', seen];
  }
  return [0, 0, 'KEPT', null, null, seen];
}

function boundsOf(thresholds: Thresholds): Bound[] {
  return thresholds.flatMap(({ min, max }, step): Bound[] => [
    { step, direction: 'min', value: min },
    { step, direction: 'max', value: max },
  ]);
}

function rethreshold(
  lines: readonly LedgerLine[],
  thresholds: Thresholds,
  blindFrom: number | null = null,
): Rethresholded {
  const counting = createRethresholdCounter({ steps: thresholds.length, bounds: boundsOf(thresholds), blindFrom });
  counting.add(lines);
  return counting.result();
}

const steps = 3;
const score = fc.integer({ min: 0, max: 9 });
const thresholds = fc.array(
  fc.tuple(score, score).map(([one, other]) => ({ min: Math.min(one, other), max: Math.max(one, other) })),
  { minLength: steps, maxLength: steps },
);
const samples = fc.array(fc.array(score, { minLength: steps, maxLength: steps }), { maxLength: 40 });

test('what is known is what a run with those thresholds would give', () => {
  fc.assert(
    fc.property(samples, thresholds, thresholds, (all, before, after) => {
      const lines = all.map((scores) => lineOf(scores, before));
      const { counts, steps: funnel } = rethreshold(lines, after);
      assert.equal(counts.in, all.length);
      assert.equal(counts.kept + counts.dropped + counts.failed + counts.unknown, counts.in);
      // Each sample by itself: its fate is correct or unknown.
      for (const scores of all) {
        const [, , verdict, droppedAt] = lineOf(scores, after);
        const one = rethreshold([lineOf(scores, before)], after);
        if (one.counts.unknown === 1) continue;
        assert.equal(one.counts.kept, verdict === 'KEPT' ? 1 : 0);
        assert.equal(one.steps[droppedAt ?? 0]?.dropped, verdict === 'DROPPED' ? 1 : 0);
      }
      let reaching = counts.in;
      for (const { in: into, dropped, failed, unknown } of funnel) {
        assert.equal(into, reaching);
        reaching -= dropped + failed + unknown;
      }
      assert.equal(reaching, counts.kept);
    }),
  );
});

test('the thresholds of the run give the counts of the run', () => {
  fc.assert(
    fc.property(samples, thresholds, (all, given) => {
      const lines = all.map((scores) => lineOf(scores, given));
      const { counts } = rethreshold(lines, given);
      assert.equal(counts.unknown, 0);
      assert.equal(counts.kept, lines.filter((line) => line[2] === 'KEPT').length);
    }),
  );
});

test('tighter thresholds leave nothing unknown', () => {
  fc.assert(
    fc.property(
      samples,
      thresholds,
      fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 3, maxLength: 3 }),
      (all, given, by) => {
        const tighter = given.map(({ min, max }, step) => ({
          min: min + (by[step]?.[0] ?? 0),
          max: max - (by[step]?.[1] ?? 0),
        }));
        const { counts } = rethreshold(
          all.map((scores) => lineOf(scores, given)),
          tighter,
        );
        assert.equal(counts.unknown, 0);
        assert.equal(counts.kept, all.filter((scores) => lineOf(scores, tighter)[2] === 'KEPT').length);
      },
    ),
  );
});

const open = { min: 0, max: 100 };

test('samples that failed or changed, and steps without scores', () => {
  const lines: LedgerLine[] = [
    [0, 0, 'FAILED', null, 'no JSON'],
    [0, 1, 'FAILED', 1, 'it threw', { 0: 5 }],
    [0, 2, 'FAILED', 1, 'it threw', { 0: 1 }],
    [0, 3, 'CHANGED', null, null, { 0: 5, 2: 7 }],
    [0, 4, 'KEPT', null, null, { 0: 5, 2: 1 }],
    [0, 5, 'DROPPED', 1, 'split into nothing', { 0: 5 }],
    [0, 6, 'DROPPED', 2, 'too small', { 0: 5, 2: 3 }],
  ];
  assert.deepEqual(rethreshold(lines, [{ min: 2, max: 100 }, open, { min: 2, max: 100 }]), {
    counts: { in: 7, kept: 2, changed: 1, dropped: 3, failed: 2, unknown: 0 },
    steps: [
      { step: 0, in: 6, dropped: 1, failed: 0, unknown: 0 },
      { step: 1, in: 5, dropped: 1, failed: 1, unknown: 0 },
      { step: 2, in: 3, dropped: 1, failed: 0, unknown: 0 },
    ],
    kept: { atLeast: 2, atMost: 2, estimate: 2, likely: { from: 2, to: 2 }, method: 'COUNTED' },
  });
});

test('nothing is known from a step on that would compare other samples', () => {
  const lines: LedgerLine[] = [
    [0, 0, 'KEPT', null, null, { 0: 5, 2: 7 }],
    [0, 1, 'KEPT', null, null, { 0: 1, 2: 7 }],
    [0, 2, 'DROPPED', 1, 'a duplicate', { 0: 5, 1: 0.9 }],
    [0, 3, 'DROPPED', 2, 'too small', { 0: 6, 2: 3 }],
    [0, 4, 'DROPPED', 0, 'too small', { 0: 0 }],
    [0, 5, 'FAILED', 1, 'it threw', { 0: 5 }],
  ];
  assert.deepEqual(rethreshold(lines, [{ min: 2, max: 100 }, open, open], 1).counts, {
    in: 6,
    kept: 0,
    changed: 0,
    dropped: 2,
    failed: 0,
    unknown: 4,
  });
});

const equalTexts = fc.array(fc.tuple(score, fc.integer({ min: 0, max: 4 }), score), { maxLength: 40 });
const ranges = fc.array(
  fc.tuple(score, score).map(([one, other]) => ({ min: Math.min(one, other), max: Math.max(one, other) })),
  {
    minLength: 2,
    maxLength: 2,
  },
);

/** A run over a filter, a step that keeps the first of equal samples, and another filter. */
function runAround(
  all: readonly (readonly [first: number, text: number, last: number])[],
  [before, behind]: Thresholds,
): LedgerLine[] {
  const seen = new Set<number>();
  const isOutside = (value: number, range: Thresholds[number] = open): boolean =>
    value < range.min || value > range.max;
  return all.map(([first, text, last], row): LedgerLine => {
    if (isOutside(first, before)) return [0, row, 'DROPPED', 0, 'out of bounds', { 0: first }];
    if (seen.has(text)) return [0, row, 'DROPPED', 1, 'a duplicate', { 0: first, 1: 1 }];
    seen.add(text);
    if (isOutside(last, behind)) return [0, row, 'DROPPED', 2, 'out of bounds', { 0: first, 2: last }];
    return [0, row, 'KEPT', null, null, { 0: first, 2: last }];
  });
}

test('before a deduplication, the bounds contain what a run would keep', () => {
  fc.assert(
    fc.property(equalTexts, ranges, ranges, fc.boolean(), (all, before, after, keepsFirstOfEqual) => {
      const lines = runAround(all, before);
      const bounds = [...boundsOf(after)].map((bound) => ({ ...bound, step: bound.step * 2 }));
      const counter = createRethresholdCounter({ steps: 3, bounds, blindFrom: 1, keepsFirstOfEqual });
      counter.add(lines);
      const { atLeast, atMost, estimate } = counter.result().kept;
      const truly = runAround(all, after).filter(([, , verdict]) => verdict === 'KEPT').length;
      assert.ok(atLeast <= truly && truly <= atMost, `${truly} is outside of ${atLeast} to ${atMost}`);
      assert.ok(atLeast <= estimate && estimate <= atMost, `the estimate ${estimate} is outside of the bounds`);
    }),
    { numRuns: 2_000 },
  );
});

test('a threshold before a deduplication that drops only duplicates leaves nothing uncertain', () => {
  const lines: LedgerLine[] = [
    [0, 0, 'KEPT', null, null, { 0: 5 }],
    [0, 1, 'DROPPED', 1, 'a duplicate', { 0: 2, 1: 1 }],
    [0, 2, 'KEPT', null, null, { 0: 6 }],
    [0, 3, 'DROPPED', 1, 'a duplicate', { 0: 6, 1: 1 }],
  ];
  const counter = createRethresholdCounter({ steps: 2, bounds: boundsOf([{ min: 3, max: 9 }]), blindFrom: 1 });
  counter.add(lines);
  const { kept } = counter.result();
  assert.deepEqual(kept, { atLeast: 2, atMost: 2, estimate: 2, likely: { from: 2, to: 2 }, method: 'COUNTED' });
});

test('the estimate takes unknown samples for like the known ones that passed the same step', () => {
  const passed = (verdict: 'KEPT' | 'DROPPED'): LedgerLine =>
    verdict === 'KEPT' ? [0, 0, 'KEPT', null, null, { 0: 5, 1: 5 }] : [0, 0, 'DROPPED', 1, 'low', { 0: 5, 1: 0 }];
  const lines: LedgerLine[] = [
    ...Array.from({ length: 30 }, () => passed('KEPT')),
    ...Array.from({ length: 10 }, () => passed('DROPPED')),
    ...Array.from({ length: 20 }, (): LedgerLine => [0, 0, 'DROPPED', 0, 'low', { 0: 1 }]),
  ];
  const { kept } = rethreshold(lines, [{ min: 1, max: 9 }, { min: 3, max: 9 }, open]);
  assert.deepEqual(kept, {
    atLeast: 30,
    atMost: 50,
    estimate: 45,
    likely: { from: 40, to: 50 },
    method: 'PREDICTION_INTERVAL',
  });
});

/** Samples of which a fifth are near-duplicates of others, with scores for the filters before and behind. */
function nearDuplicates(random: ReturnType<typeof seededRandom>): [first: number, text: number, last: number][] {
  return Array.from({ length: 1000 }, (_, index) => [
    random.integer(100),
    random.integer(5) === 0 ? random.integer(1000) : 1000 + index,
    random.integer(100),
  ]);
}

test('before a near-deduplication, the likely interval is narrow and contains nearly always what a run would keep', () => {
  const random = seededRandom(20_261_130);
  const rounds = 300;
  let hits = 0;
  let [width, certain] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const all = nearDuplicates(random);
    const behind = { min: 10, max: 100 };
    const [before, after] = [random.integer(60), random.integer(60)].map((min) => ({ min, max: 100 }));
    const lines = runAround(all, [before ?? open, behind]);
    const bounds = boundsOf([after ?? open, open, behind]).filter(({ step }) => step !== 1);
    const counter = createRethresholdCounter({ steps: 3, bounds, blindFrom: 1 });
    counter.add(lines);
    const { atLeast, atMost, likely } = counter.result().kept;
    const truly = runAround(all, [after ?? open, behind]).filter(([, , verdict]) => verdict === 'KEPT').length;
    hits += likely.from <= truly && truly <= likely.to ? 1 : 0;
    width += likely.to - likely.from;
    certain += atMost - atLeast;
  }
  assert.ok(hits / rounds >= 0.95, `${hits} of ${rounds}`);
  assert.ok(width < 0.25 * certain, `${width / rounds} of ${certain / rounds}`);
});
