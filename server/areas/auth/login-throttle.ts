import { createRateLimits } from '../../kernel/rate-limits.ts';
import { authErrors } from './errors.ts';

const spanMs = 15 * 60 * 1000;
const failuresPerUserAndAddress = 10;
const failuresPerAddress = 100;

/** Limits password guessing: counts failed attempts per user and address, and per address. */
export type LoginThrottle = {
  /**
   * Runs an attempt; `attempt` returns whether it was right. Attempts from one address run one at a time, so that no burst slips
   * through before its failures count. Throws TOO_MANY_LOGINS without running it when the limit is reached.
   */
  attempt(usernameKey: string, address: string, attempt: () => Promise<boolean>): Promise<boolean>;
};

export function createLoginThrottle(times: { monotonicMs: () => number; wallMs: () => number }): LoginThrottle {
  const pairs = createRateLimits({ windows: [{ limit: failuresPerUserAndAddress, spanMs }], ...times });
  const addresses = createRateLimits({ windows: [{ limit: failuresPerAddress, spanMs }], ...times });
  const turns = new Map<string, Promise<unknown>>();

  async function run(pair: string, address: string, attempt: () => Promise<boolean>): Promise<boolean> {
    for (const state of [pairs.peek(pair), addresses.peek(address)]) {
      if (state === undefined || state.allowed) continue;
      const seconds = state.retryAfterSeconds;
      throw authErrors.TOO_MANY_LOGINS({ seconds }, { retryAfterSeconds: seconds });
    }
    if (await attempt()) {
      pairs.clear(pair);
      return true;
    }
    pairs.take(pair);
    addresses.take(address);
    return false;
  }

  return {
    async attempt(usernameKey, address, attempt) {
      const before = turns.get(address) ?? Promise.resolve();
      const mine = before.then(() => run(`${usernameKey.slice(0, 128)} ${address}`, address, attempt));
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
