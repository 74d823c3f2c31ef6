import { setTimeout as pause } from 'node:timers/promises';

/** Durations of calls, in milliseconds. */
export type AnswerTimes = {
  add(durationMs: number): void;
  readonly count: number;
  /** 0.5 is the median, 1 the longest; 0 without a call. */
  quantile(share: number): number;
  /** `123 answers, p50 2 ms, p99 10 ms, longest 12 ms` */
  sentence(): string;
};

export function createAnswerTimes(): AnswerTimes {
  const durations: number[] = [];
  const quantile = (share: number): number => {
    const sorted = durations.toSorted((one, other) => one - other);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  };
  const milliseconds = (share: number): string => `${quantile(share).toFixed(1)} ms`;
  return {
    add: (durationMs) => void durations.push(durationMs),
    get count() {
      return durations.length;
    },
    quantile,
    sentence: () =>
      `${durations.length} answers, p50 ${milliseconds(0.5)}, p99 ${milliseconds(0.99)}, longest ${milliseconds(1)}`,
  };
}

/**
 * Calls repeatedly, with short pauses, until it is stopped. A call that throws ends the loop, and `stop` rethrows the
 * error.
 */
export function measureCalls(calls: readonly (() => Promise<void>)[]): { stop(): Promise<AnswerTimes> } {
  const times = createAnswerTimes();
  const ending = new AbortController();
  const work = (async () => {
    while (!ending.signal.aborted) {
      for (const call of calls) {
        const startedAt = performance.now();
        await call();
        times.add(performance.now() - startedAt);
      }
      await pause(20);
    }
  })();
  work.catch(() => {});
  return {
    async stop() {
      ending.abort();
      await work;
      return times;
    },
  };
}
