/** When a step over the whole set is compared in partitions, and in what sizes. */
export type ComparisonSizes = {
  /** Sets that need more memory than this in one worker are compared in partitions. */
  wholeBytes: number;
  /** Samples in a partition, unless they all have the same key. */
  partitionSamples: number;
  /** Files that one job reads. */
  fanIn: number;
  /** What one job sorts by partition in memory. */
  collatedBytes: number;
};

export const comparisonSizes: ComparisonSizes = {
  wholeBytes: 256 << 20,
  partitionSamples: 1 << 21,
  fanIn: 64,
  collatedBytes: 64 << 20,
};
