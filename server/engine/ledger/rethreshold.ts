import type { LedgerLine } from './ledger.ts';

/** A bound on the score of a step: kept from `min` on, or up to `max`. */
export type Bound = { step: number; direction: 'min' | 'max'; value: number };

/** Other thresholds for the steps of a run. */
export type RethresholdPlan = {
  /** Number of steps. */
  steps: number;
  /** Bounds of all steps whose scores decide, changed or not. */
  bounds: readonly Bound[];
  /** First whole-set step whose input changes: from it on, verdicts are unknown. Null: none. */
  blindFrom: number | null;
};

/** Counts of one step; `unknown`: samples that reach it or now pass it, whose later verdict is unknown. */
export type RethresholdStep = { step: number; in: number; dropped: number; failed: number; unknown: number };

/**
 * Counts of the samples: `in = kept + dropped + failed + unknown`. A sample that a step dropped in the run and
 * now keeps has no scores of later steps: it is unknown, unless there is no later step. `changed` are the
 * kept samples that are known to be changed.
 */
export type RethresholdCounts = {
  in: number;
  kept: number;
  changed: number;
  dropped: number;
  failed: number;
  unknown: number;
};

export type Rethresholded = { counts: RethresholdCounts; steps: RethresholdStep[] };

export type RethresholdCounter = {
  /** Counts the samples of some ledger lines. */
  add(lines: readonly LedgerLine[]): void;
  result(): Rethresholded;
};

type Fate = 'dropped' | 'failed' | 'unknown';

/** Decides on the samples of a run again by their stored scores. */
export function createRethresholdCounter({ steps, bounds, blindFrom }: RethresholdPlan): RethresholdCounter {
  const byStep = Array.from({ length: steps }, (_, step) => bounds.filter((bound) => bound.step === step));
  const judged = [...byStep.keys()].filter((step) => (byStep[step]?.length ?? 0) > 0);
  const tallies = Array.from({ length: steps }, () => ({ dropped: 0, failed: 0, unknown: 0 }));
  let total = 0;
  let unread = 0;
  let kept = 0;
  let changed = 0;

  function tally(step: number, fate: Fate): void {
    const figures = tallies[step];
    if (figures === undefined) throw new RangeError(`The run has no step ${step}`);
    figures[fate] += 1;
  }

  /** A row passes when all its texts do. */
  function passes(step: number, score: number | readonly [number, number]): boolean {
    const [lowest, highest] = typeof score === 'number' ? [score, score] : score;
    for (const { direction, value } of byStep[step] ?? []) {
      if (direction === 'min' ? lowest < value : highest > value) return false;
    }
    return true;
  }

  function addOne([, , verdict, endStep = null, , scores]: LedgerLine): void {
    total += 1;
    if (verdict === 'FAILED' && endStep === null) {
      unread += 1;
      return;
    }
    const end = endStep ?? steps;
    for (const step of judged) {
      if (step > end || (step === end && verdict === 'FAILED')) break;
      if (blindFrom !== null && step >= blindFrom) break;
      const score = scores?.[step];
      // Without a score, thresholds do not affect the step.
      if (score === undefined || score === null) continue;
      if (!passes(step, score)) {
        tally(step, 'dropped');
        return;
      }
      if (step === end) {
        if (step === steps - 1) kept += 1;
        else tally(step, 'unknown');
        return;
      }
    }
    if (blindFrom !== null && end >= blindFrom) tally(blindFrom, 'unknown');
    else if (verdict === 'DROPPED') tally(end, 'dropped');
    else if (verdict === 'FAILED') tally(end, 'failed');
    else {
      kept += 1;
      if (verdict === 'CHANGED') changed += 1;
    }
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
      const sum = (fate: Fate): number => tallies.reduce((all, figures) => all + figures[fate], 0);
      const counts = {
        in: total,
        kept,
        changed,
        dropped: sum('dropped'),
        failed: sum('failed') + unread,
        unknown: sum('unknown'),
      };
      return { counts, steps: funnel };
    },
  };
}
