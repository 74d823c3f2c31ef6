import { CallHistory, type RateWindow } from './call-history.ts';

/** Values of the rate limit headers: the window with fewer calls remaining. */
export type RateState = {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds at which the oldest counted call leaves that window, so that one more call fits. */
  resetAt: number;
  /** Whole seconds until a refused call is allowed. */
  retryAfterSeconds: number;
};

/** Counts calls by key in sliding windows; undefined means that no limit is set. */
export type RateLimits = {
  /** Counts a call if it fits into every window; a refused call counts nowhere. */
  take(key: string): RateState | undefined;
  /** The state, without counting a call. */
  peek(key: string): RateState | undefined;
  /** Removes the latest call of a key. */
  takeBack(key: string): void;
  /** Forgets a key. */
  clear(key: string): void;
  /** Number of stored keys. */
  readonly size: number;
};

export type RateLimitOptions = {
  /** Windows with limit 0 are off. */
  windows: readonly RateWindow[];
  /** Monotonic milliseconds. */
  monotonicMs: () => number;
  /** Unix milliseconds, for the reset header only. */
  wallMs: () => number;
  /** Maximum number of stored keys; beyond it, the oldest is removed. */
  maxKeys?: number;
  /** This process's share of a limit, if other processes serve the same callers; may change at any time. */
  shareOf?: (limit: number) => number;
};

const sweepEveryMs = 60_000;

/** Exact sliding windows in memory: call times per key; idle keys are removed within a minute. */
export function createRateLimits({
  windows,
  monotonicMs,
  wallMs,
  maxKeys = 50_000,
  shareOf = (limit) => limit,
}: RateLimitOptions): RateLimits {
  const active = windows.filter((window) => window.limit > 0);
  const histories = new Map<string, CallHistory>();
  let sweptAt = monotonicMs();

  function historyOf(key: string, now: number): CallHistory {
    const known = histories.get(key);
    if (known !== undefined) return known;
    if (now - sweptAt >= sweepEveryMs) sweep(now);
    const oldest = histories.size >= maxKeys ? histories.keys().next().value : undefined;
    if (oldest !== undefined) histories.delete(oldest);
    const history = new CallHistory(active);
    histories.set(key, history);
    return history;
  }

  function sweep(now: number): void {
    sweptAt = now;
    for (const [key, history] of histories) if (history.isIdle(now)) histories.delete(key);
  }

  /** Calls left in a window; negative if this process's share has shrunk. */
  function leftOf(history: CallHistory, index: number, now: number): number {
    const limit = active[index]?.limit ?? 0;
    return history.remaining(index, now) - limit + shareOf(limit);
  }

  function stateOf(history: CallHistory, now: number, allowed: boolean): RateState {
    let limit = 0;
    let remaining = Number.POSITIVE_INFINITY;
    let freeAt = now;
    for (let index = 0; index < active.length; index++) {
      const left = Math.max(0, leftOf(history, index, now));
      const at = history.freeAt(index, now);
      if (left < remaining || (left === remaining && at > freeAt)) {
        limit = shareOf(active[index]?.limit ?? 0);
        remaining = left;
        freeAt = at;
      }
    }
    const waitMs = freeAt - now;
    return {
      allowed,
      limit,
      remaining,
      resetAt: Math.ceil((wallMs() + waitMs) / 1000),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(waitMs / 1000)),
    };
  }

  function fits(history: CallHistory, now: number): boolean {
    for (let index = 0; index < active.length; index++) if (leftOf(history, index, now) <= 0) return false;
    return true;
  }

  return {
    take(key) {
      if (active.length === 0) return undefined;
      const now = monotonicMs();
      const history = historyOf(key, now);
      const allowed = fits(history, now);
      if (allowed) history.add(now);
      return stateOf(history, now, allowed);
    },
    peek(key) {
      if (active.length === 0) return undefined;
      const now = monotonicMs();
      const history = histories.get(key) ?? new CallHistory(active);
      return stateOf(history, now, fits(history, now));
    },
    takeBack(key) {
      histories.get(key)?.takeBack();
    },
    clear(key) {
      histories.delete(key);
    },
    get size() {
      return histories.size;
    },
  };
}
