import type { CertainBounds, KeptBounds } from '../../orders/rethresholding.ts';

/** Samples that end at a step. */
export type Tally = { dropped: number; failed: number; unknown: number };

type Tallied = {
  kept: number;
  /** By step, as if steps over all samples decided as in the run. */
  tallies: readonly Tally[];
  /** The first step over all samples whose input changes; null: none. */
  blindFrom: number | null;
  /** Samples that this step kept in the run and would not see now. */
  missing: number;
};

/** Quantile of the normal distribution for 95 %. */
const quantile = 1.96;

/**
 * Adds the prediction interval of 95 %. Each unknown sample is kept with the share that was kept of the n samples known to
 * have passed its step: m of them vary by m p (1 - p) (1 + m / n) (normal approximation of the binomial prediction
 * interval; Nelson, "Applied Life Data Analysis", 1982, section 6.2). Around a step over all samples the interval is
 * wider by its share of duplicates: a sample that it no longer sees may free one, and one that it newly sees may take
 * the place of another.
 */
export function withLikely(bounds: CertainBounds, { kept, tallies, blindFrom, missing }: Tallied): KeptBounds {
  const { atLeast, atMost, estimate } = bounds;
  if (atLeast === atMost) return { ...bounds, likely: { from: atLeast, to: atMost }, method: 'COUNTED' };
  let variance = 0;
  let isGuess = false;
  let passed = kept;
  for (const { dropped, failed, unknown } of tallies.toReversed()) {
    const share = passed === 0 ? 0 : kept / passed;
    if (passed === 0) isGuess ||= unknown > 0;
    else variance += unknown * share * (1 - share) * (1 + unknown / passed);
    passed += dropped + failed;
  }
  const { freed, displaced } = duplicatesAround({ kept, tallies, blindFrom, missing });
  const spread = quantile * Math.sqrt(variance);
  const within = (value: number): number => Math.min(atMost, Math.max(atLeast, value));
  const likely = isGuess
    ? { from: atLeast, to: atMost }
    : { from: within(Math.floor(estimate - spread - displaced)), to: within(Math.ceil(estimate + spread + freed)) };
  return { ...bounds, likely, method: 'PREDICTION_INTERVAL' };
}

function duplicatesAround({ kept, tallies, blindFrom, missing }: Tallied): { freed: number; displaced: number } {
  if (blindFrom === null) return { freed: 0, displaced: 0 };
  const duplicates = tallies[blindFrom]?.dropped ?? 0;
  const sumOf = (of: readonly Tally[], outcome: keyof Tally): number =>
    of.reduce((sum, tally) => sum + tally[outcome], 0);
  const behind = tallies.slice(blindFrom + 1);
  const passed = kept + sumOf(behind, 'dropped') + sumOf(behind, 'failed');
  const arrived = sumOf(tallies.slice(0, blindFrom), 'unknown');
  const share = duplicates + passed === 0 ? 1 : duplicates / (duplicates + passed);
  return {
    freed: Math.min(duplicates, missing * (passed === 0 ? 1 : duplicates / passed)),
    displaced: arrived * share,
  };
}
