import type { LedgerLine } from '../../orders/ledger-line.ts';
import { withLikely, type Tally } from './likely-kept.ts';
import type { CertainBounds, RethresholdPlan, Rethresholded } from '../../orders/rethresholding.ts';

export type RethresholdCounter = {
  /** Counts the samples of some ledger lines. */
  add(lines: readonly LedgerLine[]): void;
  result(): Rethresholded;
};

type Outcome = keyof Tally;

/** Where a sample ends; `step` is null if it passes all steps. */
type End = { outcome: Outcome; step: number } | { outcome: 'kept'; step: null };

/** Re-decides the samples of a run by their stored scores. */
export function createRethresholdCounter(plan: RethresholdPlan): RethresholdCounter {
  const { steps, bounds, blindFrom } = plan;
  const byStep = Array.from({ length: steps }, (_, step) => bounds.filter((bound) => bound.step === step));
  const judged = [...byStep.keys()].filter((step) => (byStep[step]?.length ?? 0) > 0);
  const tallies = createTallies(steps);
  /** As if steps over all samples decided as in the run. */
  const asInRun = createTallies(steps);
  let total = 0;
  let unread = 0;
  let kept = 0;
  let changed = 0;
  let keptAsInRun = 0;
  /** Samples that the blind step kept in the run and would not see now: their duplicates may stay. */
  let missing = 0;

  /** A row passes when all its texts do. */
  function passes(step: number, score: number | readonly [number, number]): boolean {
    const [lowest, highest] = typeof score === 'number' ? [score, score] : score;
    for (const { direction, value } of byStep[step] ?? []) {
      if (direction === 'min' ? lowest < value : highest > value) return false;
    }
    return true;
  }

  function endOf([, , verdict, endStep = null, , scores]: LedgerLine): End {
    const end = endStep ?? steps;
    for (const step of judged) {
      if (step > end || (step === end && verdict === 'FAILED')) break;
      const score = scores?.[step];
      // Without a score, the step made no decision that thresholds could change.
      if (score === undefined || score === null) continue;
      if (!passes(step, score)) return { outcome: 'dropped', step };
      if (step === end) return step === steps - 1 ? { outcome: 'kept', step: null } : { outcome: 'unknown', step };
    }
    if (verdict === 'DROPPED') return { outcome: 'dropped', step: end };
    return verdict === 'FAILED' ? { outcome: 'failed', step: end } : { outcome: 'kept', step: null };
  }

  function addOne(line: LedgerLine): void {
    const [, , verdict, endStep = null] = line;
    if (verdict === 'SKIPPED') return;
    total += 1;
    if (verdict === 'FAILED' && endStep === null) {
      unread += 1;
      return;
    }
    const end = endOf(line);
    if (end.step === null) keptAsInRun += 1;
    else tally(asInRun, end.step, end.outcome);
    if (blindFrom !== null && (end.step === null || end.step >= blindFrom)) {
      tally(tallies, blindFrom, 'unknown');
      return;
    }
    if (blindFrom !== null && (endStep ?? steps) > blindFrom) missing += 1;
    if (end.step !== null) {
      tally(tallies, end.step, end.outcome);
      return;
    }
    kept += 1;
    if (verdict === 'CHANGED') changed += 1;
  }

  function boundKept(): CertainBounds {
    const unknown = sumOf(asInRun, 'unknown');
    const estimate = estimateKept(keptAsInRun, asInRun);
    const asDecided = { atLeast: keptAsInRun, atMost: keptAsInRun + unknown, estimate };
    if (blindFrom === null) return asDecided;
    const arrived = sumOf(asInRun.slice(0, blindFrom), 'unknown');
    // Only samples that this step dropped no longer reach it, so all its decisions stand.
    if (arrived === 0 && missing === 0) return asDecided;
    const isLast = blindFrom === steps - 1;
    const freed = asInRun[blindFrom]?.dropped ?? 0;
    if (plan.keepsFirstOfEqual === true) {
      // Each group still keeps one sample, but perhaps a different one, which later steps have not seen.
      const atLeast = Math.max(0, keptAsInRun - (isLast ? 0 : arrived));
      return { atLeast, atMost: asDecided.atMost + freed, estimate };
    }
    const atMost = asDecided.atMost + freed + sumOf(asInRun.slice(blindFrom + 1), 'dropped');
    // The first of similar samples is kept, but a newly arriving sample can replace many.
    return { atLeast: Math.min(atMost, isLast ? 1 : 0), atMost, estimate };
  }

  return {
    add(lines) {
      for (const line of lines) addOne(line);
    },
    result() {
      let reaching = total - unread;
      const funnel = tallies.map(({ dropped, failed, unknown }, step) => {
        const figures = { step, in: reaching, dropped, failed, unknown };
        reaching -= dropped + failed + unknown;
        return figures;
      });
      const counts = {
        in: total,
        kept,
        changed,
        dropped: sumOf(tallies, 'dropped'),
        failed: sumOf(tallies, 'failed') + unread,
        unknown: sumOf(tallies, 'unknown'),
      };
      const tallied = { kept: keptAsInRun, tallies: asInRun, blindFrom, missing };
      return { counts, steps: funnel, kept: withLikely(boundKept(), tallied) };
    },
  };
}

function createTallies(steps: number): Tally[] {
  return Array.from({ length: steps }, () => ({ dropped: 0, failed: 0, unknown: 0 }));
}

function tally(tallies: readonly Tally[], step: number, outcome: Outcome): void {
  const figures = tallies[step];
  if (figures === undefined) throw new RangeError(`The run has no step ${step}`);
  figures[outcome] += 1;
}

function sumOf(tallies: readonly Tally[], outcome: Outcome): number {
  return tallies.reduce((all, figures) => all + figures[outcome], 0);
}

/**
 * The number of kept samples; the unknown samples of a step count with the share kept among its other samples that
 * passed.
 */
function estimateKept(kept: number, tallies: readonly Tally[]): number {
  let estimate = kept;
  let passed = kept;
  for (const { dropped, failed, unknown } of tallies.toReversed()) {
    estimate += passed === 0 ? unknown : (unknown * kept) / passed;
    passed += dropped + failed;
  }
  return Math.round(estimate);
}
