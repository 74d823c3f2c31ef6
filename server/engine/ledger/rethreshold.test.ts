import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LedgerLine } from './ledger.ts';
import { createRethresholdCounter, type Bound, type Rethresholded } from './rethreshold.ts';

type Thresholds = readonly { min: number; max: number }[];

/** What a run over steps that are all filters writes down of a sample with these scores. */
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
      // Of each sample alone: its fate is the true one, or it is unknown.
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
