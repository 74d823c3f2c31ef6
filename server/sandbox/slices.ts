/** Cuts samples into batches for a sandbox, larger ones for faster code. */
export type Slicer = {
  cut(samples: readonly unknown[], from: number): readonly unknown[];
  /**
   * Reports that `count` samples were answered `ms` after they were posted, with at most `batches` batches in flight.
   */
  took(count: number, ms: number, batches: number): void;
};

/** Maximum text of a batch, in UTF-16 units: the sandbox has little memory, and caches are smaller still. */
const maxUnits = 1 << 18;
const maxSamples = 1024;
const firstSamples = 64;
/** Target time of a batch: long compared with passing it on, and short for a caller that waits behind it. */
const targetMs = 40;

export function createSlicer(): Slicer {
  let size = firstSamples;
  return {
    cut(samples, from) {
      let to = from;
      for (let units = 0; to < samples.length && to - from < size; to += 1) {
        units += unitsOf(samples[to]);
        if (units > maxUnits && to > from) break;
      }
      return samples.slice(from, to);
    },
    took(count, ms, batches) {
      if (count < size / 2) return;
      if (ms < targetMs) size = Math.min(maxSamples, 2 * size);
      else if (ms > 4 * batches * targetMs) size = Math.max(1, size >> 1);
    },
  };
}

function unitsOf(sample: unknown): number {
  const text = typeof sample === 'string' ? sample : (sample as { text?: unknown } | undefined)?.text;
  return typeof text === 'string' ? text.length : 0;
}
