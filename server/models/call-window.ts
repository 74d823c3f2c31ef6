/**
 * The number of concurrent calls of a model in one process: doubles with each round until the provider first refuses,
 * then grows by one per round, and halves (at most once per round) at each refusal. If replies take much longer than
 * the quickest, it stops growing; if they take longer still, it shrinks slightly.
 */
export type CallWindow = {
  readonly size: number;
  /** Records the end of a call that started at `startedMs`. */
  onEnd(call: { startedMs: number; endedMs: number; outcome: CallOutcome }): void;
};

/** `refused`: too many requests, overloaded, no reply. `failed`: says nothing about load. */
export type CallOutcome = 'answered' | 'refused' | 'failed';

const firstSize = 8;
/** Replies count as slow if their moving average is this many times the quickest, and longer by this much. */
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
      // A call that started before the last cut says nothing about the load since.
      const isNews = startedMs >= lastCutMs;
      if (outcome === 'refused' && isNews) cut(0.5, endedMs);
      if (outcome !== 'answered') return;
      const tookMs = endedMs - startedMs;
      // The quickest time decays slowly: a provider may have become slower permanently.
      quickestMs = Math.min(tookMs, quickestMs * 1.001);
      meanMs = meanMs === 0 ? tookMs : meanMs * 0.9 + tookMs * 0.1;
      const isSlow = (factor: number): boolean => meanMs > quickestMs * factor && meanMs - quickestMs > slowAtLeastMs;
      if (isSlow(verySlowFactor) && isNews) cut(0.9, endedMs);
      else if (!isSlow(slowFactor) && size < maxSize()) size += size < threshold ? 1 : 1 / size;
    },
  };
}
