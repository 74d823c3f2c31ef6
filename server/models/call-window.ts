/**
 * How many calls of a model one process has under way: doubled with each round while the provider bears it, one more a round
 * once it has refused, half of it (once a round) at each refusal. Answers that take much longer than the quickest
 * hold it where it is, and lower it a little when they take longer still.
 */
export type CallWindow = {
  readonly size: number;
  /** Takes note of how a call ended that began at `startedMs`. */
  onEnd(call: { startedMs: number; endedMs: number; outcome: CallOutcome }): void;
};

/** `refused`: too many requests, overloaded, no answer. `failed`: says nothing about load. */
export type CallOutcome = 'answered' | 'refused' | 'failed';

const firstSize = 8;
/** Answers are held to be slow when their running mean is so many times the quickest, and so much longer. */
const slowFactor = 3;
const verySlowFactor = 6;
const slowAtLeastMs = 1_000;

export function createCallWindow(maxSize: () => number): CallWindow {
  let size = firstSize;
  let threshold = Number.POSITIVE_INFINITY;
  let lastCutMs = Number.NEGATIVE_INFINITY;
  let quickestMs = Number.POSITIVE_INFINITY;
  let meanMs = 0;

  function cut(factor: number, nowMs: number): void {
    size = Math.max(1, size * factor);
    threshold = size;
    lastCutMs = nowMs;
  }

  return {
    get size() {
      return Math.max(1, Math.min(Math.floor(size), maxSize()));
    },
    onEnd({ startedMs, endedMs, outcome }) {
      // A call that began before the last cut says nothing about the load since.
      const isNews = startedMs >= lastCutMs;
      if (outcome === 'refused' && isNews) cut(0.5, endedMs);
      if (outcome !== 'answered') return;
      const tookMs = endedMs - startedMs;
      // The quickest is forgotten slowly: a provider may have become slower for good.
      quickestMs = Math.min(tookMs, quickestMs * 1.001);
      meanMs = meanMs === 0 ? tookMs : meanMs * 0.9 + tookMs * 0.1;
      const isSlow = (factor: number): boolean => meanMs > quickestMs * factor && meanMs - quickestMs > slowAtLeastMs;
      if (isSlow(verySlowFactor) && isNews) cut(0.9, endedMs);
      else if (!isSlow(slowFactor) && size < maxSize()) size += size < threshold ? 1 : 1 / size;
    },
  };
}
