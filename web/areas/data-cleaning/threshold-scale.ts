/** Maps values to positions on a slider, 0 to 1. */
export type ThresholdScale = {
  toPosition(value: number): number;
  toValue(position: number): number;
  /** Labelled values with their positions. */
  marks: readonly { position: number; value: number }[];
};

export type ScaleOptions = {
  /** Scores of samples of a run. */
  scores: readonly number[];
  /** Range of the threshold. */
  min: number | undefined;
  max: number | undefined;
  isInteger: boolean;
  /** The threshold of the run, used when no score is known. */
  was: number;
};

const parts = 20;
const markedParts = [0, 5, 10, 15, 20];

/**
 * A scale by quantiles of the scores: equal distances on the slider hold equal shares of the samples, wherever their
 * values are. Bounds far from all scores (a default of a billion) take no space.
 */
export function createThresholdScale(options: ScaleOptions): ThresholdScale {
  const knots = knotsOf(options);
  const last = knots.length - 1;
  const round = (value: number): number => (options.isInteger ? Math.round(value) : Number(value.toPrecision(4)));
  const at = (index: number): number => knots[Math.min(last, Math.max(0, index))] ?? 0;
  const toValue = (position: number): number => {
    const place = Math.min(1, Math.max(0, position)) * last;
    const low = Math.floor(place);
    return round(at(low) + (at(low + 1) - at(low)) * (place - low));
  };
  return {
    toValue,
    toPosition(value) {
      if (value <= at(0)) return 0;
      const above = knots.findIndex((knot) => knot >= value);
      if (above === -1) return 1;
      const low = at(above - 1);
      return (above - 1 + (value - low) / (at(above) - low)) / last;
    },
    marks: markedParts.map((part) => part / parts).map((position) => ({ position, value: toValue(position) })),
  };
}

/** Rising values at equal distances on the slider; at least two. */
function knotsOf({ scores, min, max, isInteger, was }: ScaleOptions): number[] {
  const sorted = scores.filter(Number.isFinite).toSorted((a, b) => a - b);
  const step = isInteger ? 1 : 0.01;
  const lowest = sorted[0];
  const highest = sorted.at(-1);
  if (lowest === undefined || highest === undefined) return withoutScores({ min, max, was, step });
  const quantiles = Array.from(
    { length: parts + 1 },
    (_, part) => sorted[Math.round((part / parts) * (sorted.length - 1))] ?? highest,
  );
  // One step beyond the ends keeps everything, or nothing.
  const ends = [Math.max(min ?? -Infinity, lowest - step), Math.min(max ?? Infinity, highest + step)];
  const knots = [...new Set([...quantiles, ...ends])].toSorted((a, b) => a - b);
  const [only = 0] = knots;
  return knots.length > 1 ? knots : [only, only + step];
}

/** Without scores: up to a few times the run's threshold. */
function withoutScores(options: Pick<ScaleOptions, 'min' | 'max' | 'was'> & { step: number }): number[] {
  const { min, max, was, step } = options;
  const low = min ?? 0;
  const usual = 4 * Math.max(Number.isFinite(was) ? Math.abs(was) : 0, 25 * step);
  const high = max !== undefined && max <= Math.max(usual, low + 1) ? max : Math.max(low + step, usual);
  return [low, high > 1e8 ? low + 1000 * step : high];
}
