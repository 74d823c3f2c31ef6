/** Maps values to positions on a slider, 0 to 1. */
export type ThresholdScale = {
  toPosition(value: number): number;
  toValue(position: number): number;
  /** Labelled values with their positions. */
  marks: readonly { position: number; value: number }[];
};

export type ScaleOptions = {
  /** Scores of a sample of the run's entries. */
  scores: readonly number[];
  /** Range of the threshold. */
  min: number | undefined;
  max: number | undefined;
  isInteger: boolean;
  /** The threshold of the run, used if no scores are known. */
  was: number;
};

const markedPositions = [0, 0.25, 0.5, 0.75, 1];
/** If the highest score exceeds the median by this factor, the slider is logarithmic. */
const longTail = 20;

/**
 * A scale over the scores, so that a histogram along it shows their distribution; logarithmic if a few lie far above
 * the others. Bounds far from all scores (a default of a billion) take no space.
 */
export function createThresholdScale(options: ScaleOptions): ThresholdScale {
  const { low, high, isLogarithmic } = rangeOf(options);
  const bend = (value: number): number => (isLogarithmic ? Math.log1p(value - low) : value - low);
  const straighten = (bent: number): number => low + (isLogarithmic ? Math.expm1(bent) : bent);
  const length = bend(high);
  const round = (value: number): number => (options.isInteger ? Math.round(value) : Number(value.toPrecision(4)));
  const toValue = (position: number): number => round(straighten(Math.min(1, Math.max(0, position)) * length));
  return {
    toValue,
    toPosition: (value) => (value <= low ? 0 : Math.min(1, bend(value) / length)),
    marks: markedPositions.map((position) => ({ position, value: toValue(position) })),
  };
}

function rangeOf({ scores, min, max, isInteger, was }: ScaleOptions) {
  const sorted = scores.filter(Number.isFinite).toSorted((a, b) => a - b);
  const step = isInteger ? 1 : 0.01;
  const lowest = sorted[0];
  const highest = sorted.at(-1);
  if (lowest === undefined || highest === undefined)
    return { ...withoutScores({ min, max, was, step }), isLogarithmic: false };
  // One step beyond the ends: there a threshold keeps everything, or nothing.
  const low = Math.max(min ?? -Infinity, lowest - step);
  const high = Math.max(low + step, Math.min(max ?? Infinity, highest + step));
  const median = sorted[Math.floor(sorted.length / 2)] ?? highest;
  return { low, high, isLogarithmic: high - low > longTail * Math.max(step, median - low) };
}

/** Without scores: up to a small multiple of the run's threshold. */
function withoutScores(options: Pick<ScaleOptions, 'min' | 'max' | 'was'> & { step: number }) {
  const { min, max, was, step } = options;
  const low = min ?? 0;
  const usual = 4 * Math.max(Number.isFinite(was) ? Math.abs(was) : 0, 25 * step);
  const high = max !== undefined && max <= Math.max(usual, low + 1) ? max : Math.max(low + step, usual);
  return { low, high: high > 1e8 ? low + 1000 * step : high };
}

/** Number of values in each of `bins` equal parts of the slider. */
export function countBins(values: readonly number[], scale: ThresholdScale, bins: number): number[] {
  const counts = Array.from({ length: bins }, () => 0);
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.floor(scale.toPosition(value) * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

type Steps = { value: number; min: number | undefined; max: number | undefined; isInteger: boolean };

/** The value after a key: arrows move one step, Page Up and Page Down ten; undefined for other keys. */
export function valueByKey(key: string, { value, min, max, isInteger }: Steps): number | undefined {
  const steps = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[key];
  if (steps === undefined) return undefined;
  const next = isInteger ? Math.round(value) + steps : Number((value + steps / 100).toFixed(4));
  return Math.min(max ?? Infinity, Math.max(min ?? -Infinity, next));
}
