import type { MeasureScale } from '../../operators/index.ts';

/**
 * The distribution of numbers in bounded memory: a count per bucket. Buckets are fixed, so that the sketches of any
 * parts add up to that of the whole.
 */
export type Sketch = {
  count: number;
  min: number;
  max: number;
  /** Number of values by bucket. */
  buckets: Map<number, number>;
};

/** A sketch as JSON. */
export type StoredSketch = { count: number; min: number; max: number; buckets: [bucket: number, count: number][] };

/** Bounds of a bucket: values from `from`, below `to`. */
export type HistogramBin = { from: number; to: number; count: number };

export type Quantiles = Record<'p0' | 'p5' | 'p25' | 'p50' | 'p75' | 'p95' | 'p100', number>;

export function createSketch(): Sketch {
  return { count: 0, min: Infinity, max: -Infinity, buckets: new Map() };
}

/** Counts a value; NaN and infinities are ignored. */
export function addValue(sketch: Sketch, scale: MeasureScale, given: number): void {
  if (!Number.isFinite(given)) return;
  // JSON, in which sketches are stored, has no negative zero.
  const value = given === 0 ? 0 : given;
  sketch.count += 1;
  if (value < sketch.min) sketch.min = value;
  if (value > sketch.max) sketch.max = value;
  const bucket = scales[scale].bucketOf(value);
  sketch.buckets.set(bucket, (sketch.buckets.get(bucket) ?? 0) + 1);
}

/** Adds the values of another sketch. */
export function mergeSketch(into: Sketch, other: StoredSketch): void {
  if (other.count === 0) return;
  into.count += other.count;
  into.min = Math.min(into.min, other.min);
  into.max = Math.max(into.max, other.max);
  for (const [bucket, count] of other.buckets) into.buckets.set(bucket, (into.buckets.get(bucket) ?? 0) + count);
}

/** The bounds of a sketch without values are null in JSON and are not read. */
export function storedSketch({ count, min, max, buckets }: Sketch): StoredSketch {
  return { count, min, max, buckets: [...buckets].toSorted(([one], [other]) => one - other) };
}

const mostBins = 40;

/** Contiguous bins over all values; their bounds are bucket bounds, so that every count is exact. */
export function histogramOf({ count, min, max, buckets }: Sketch, scale: MeasureScale): HistogramBin[] {
  if (count === 0) return [];
  const { bucketOf, startOf, firstOf, widths } = scales[scale];
  const first = firstOf(bucketOf(min));
  const last = bucketOf(max);
  const width = widths.find((one) => (last - first) / one < mostBins) ?? Math.ceil((last - first + 1) / mostBins);
  const start = first - (((first % width) + width) % width);
  const bins: HistogramBin[] = [];
  for (let bucket = start; bucket <= last; bucket += width) {
    bins.push({ from: startOf(bucket), to: startOf(bucket + width), count: 0 });
  }
  for (const [bucket, found] of buckets) {
    const bin = bins[Math.floor((bucket - start) / width)];
    if (bin !== undefined) bin.count += found;
  }
  return bins;
}

const shares = { p0: 0, p5: 0.05, p25: 0.25, p50: 0.5, p75: 0.75, p95: 0.95, p100: 1 };

/** Minimum and maximum are exact, the others as precise as the buckets; null if there are no values. */
export function quantilesOf({ count, min, max, buckets }: Sketch, scale: MeasureScale): Quantiles | null {
  if (count === 0) return null;
  const sorted = [...buckets].toSorted(([one], [other]) => one - other);
  const valueAt = (share: number): number => {
    if (share === 0) return min;
    if (share === 1) return max;
    const rank = share * (count - 1);
    let before = 0;
    for (const [bucket, found] of sorted) {
      before += found;
      if (before > rank) return Math.min(max, Math.max(min, scales[scale].middleOf(bucket)));
    }
    return max;
  };
  return Object.fromEntries(Object.entries(shares).map(([name, share]) => [name, valueAt(share)])) as Quantiles;
}

type Scale = {
  bucketOf: (value: number) => number;
  /** Lower bound of a bucket; exclusive below zero. */
  startOf: (bucket: number) => number;
  /** The value that represents the bucket. */
  middleOf: (bucket: number) => number;
  /** Bucket at which a histogram begins. */
  firstOf: (lowest: number) => number;
  /** Buckets in a bin. */
  widths: readonly number[];
};

/** Ratio of neighbouring bucket bounds: quantiles are accurate to 1 %. */
const factor = 1.02;
const logFactor = Math.log(factor);
/** Below this, each count has its own bucket. */
const counted = 128;
/** Values nearer to zero count as zero. */
const smallest = 1e-4;
const steps = 1000;

const scales: Record<MeasureScale, Scale> = {
  COUNT: {
    bucketOf: (value) => (value < counted ? Math.floor(value) : counted + logBucket(value / counted)),
    startOf: (bucket) => (bucket <= counted ? bucket : Math.ceil(counted * factor ** (bucket - counted))),
    middleOf: (bucket) => (bucket < counted ? bucket : Math.round(counted * factor ** (bucket - counted + 0.5))),
    firstOf: (lowest) => lowest,
    widths: [1, 2, 5, 10, 20, 50],
  },
  SHARE: {
    bucketOf: (value) => Math.floor(value * steps + 1e-6),
    startOf: (bucket) => bucket / steps,
    middleOf: (bucket) => bucket / steps,
    firstOf: (lowest) => Math.min(0, lowest),
    widths: [1, 2, 5, 10, 20, 25, 50],
  },
  VALUE: {
    bucketOf: (value) =>
      Math.abs(value) < smallest ? 0 : Math.sign(value) * (1 + logBucket(Math.abs(value) / smallest)),
    startOf: (bucket) =>
      bucket === 0 ? 0 : bucket > 0 ? smallest * factor ** (bucket - 1) : -smallest * factor ** -bucket,
    middleOf: (bucket) => (bucket === 0 ? 0 : Math.sign(bucket) * smallest * factor ** (Math.abs(bucket) - 0.5)),
    firstOf: (lowest) => lowest,
    widths: [1, 2, 5, 10, 20, 50],
  },
};

/** ⌊log value⌋ to the base of `factor`, consistent with its powers. */
function logBucket(value: number): number {
  const near = Math.floor(Math.log(value) / logFactor);
  if (factor ** (near + 1) <= value) return near + 1;
  return factor ** near > value ? near - 1 : near;
}
