import { createRateLimits } from '../../kernel/rate-limits.ts';
import { authErrors } from './errors.ts';

export const failureSpanMs = 15 * 60 * 1000;
export const failuresPerUserAndAddress = 10;
export const failuresPerAddress = 100;

/** An attempt that counts as failed until `succeed` is called. */
export type OpenAttempt = { succeed(): Promise<void> };

/** Failed attempts of the last quarter of an hour. */
export type LoginFailures = {
  /** Counts an attempt as failed, unless a limit is reached: then returns the seconds to wait. */
  begin(usernameKey: string, address: string): Promise<OpenAttempt | { waitSeconds: number }>;
};

/** Limits password guessing: counts failed attempts per user and address, and per address. */
export type LoginThrottle = {
  /**
   * Runs an attempt; `attempt` returns whether it succeeded. Attempts from one address run one at a time, so that no burst slips
   * through before its failures count. Throws TOO_MANY_LOGINS without running it when the limit is reached.
   */
  attempt(usernameKey: string, address: string, attempt: () => Promise<boolean>): Promise<boolean>;
};

export function createLoginThrottle(failures: LoginFailures): LoginThrottle {
  const turns = new Map<string, Promise<unknown>>();

  async function run(usernameKey: string, address: string, attempt: () => Promise<boolean>): Promise<boolean> {
    const open = await failures.begin(usernameKey, address);
    if ('waitSeconds' in open)
      throw authErrors.TOO_MANY_LOGINS({ seconds: open.waitSeconds }, { retryAfterSeconds: open.waitSeconds });
    const isRight = await attempt();
    if (isRight) await open.succeed();
    return isRight;
  }

  return {
    async attempt(usernameKey, address, attempt) {
      const before = turns.get(address) ?? Promise.resolve();
      const mine = before.then(() => run(usernameKey.slice(0, 128), address, attempt));
      const settled = mine.catch(() => undefined);
      turns.set(address, settled);
      try {
        return await mine;
      } finally {
        if (turns.get(address) === settled) turns.delete(address);
      }
    },
  };
}

/** Failures in memory, for a process that shares its database with no other. */
export function createOwnFailures(times: { monotonicMs: () => number; wallMs: () => number }): LoginFailures {
  const spanMs = failureSpanMs;
  const pairs = createRateLimits({ windows: [{ limit: failuresPerUserAndAddress, spanMs }], ...times });
  const addresses = createRateLimits({ windows: [{ limit: failuresPerAddress, spanMs }], ...times });
  return {
    async begin(usernameKey, address) {
      const pair = `${usernameKey} ${address}`;
      for (const state of [pairs.peek(pair), addresses.peek(address)])
        if (state !== undefined && !state.allowed) return { waitSeconds: state.retryAfterSeconds };
      pairs.take(pair);
      addresses.take(address);
      return {
        async succeed() {
          pairs.clear(pair);
          addresses.takeBack(address);
        },
      };
    },
  };
}
