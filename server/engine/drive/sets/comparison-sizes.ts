/** When a whole-set step is compared in partitions, and in what sizes. */
export type ComparisonSizes = {
  /** Sets that need more memory than this in one worker are compared in partitions. */
  wholeBytes: number;
  /** Target number of samples per partition, unless they all have the same key. */
  partitionSamples: number;
  /** Maximum number of files that one job reads. */
  fanIn: number;
  /** Bytes that one job sorts by partition in memory. */
  collatedBytes: number;
};

export const comparisonSizes: ComparisonSizes = {
  wholeBytes: 256 << 20,
  partitionSamples: 1 << 21,
  fanIn: 64,
  collatedBytes: 64 << 20,
};
