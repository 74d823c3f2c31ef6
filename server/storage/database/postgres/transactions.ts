import { setTimeout } from 'node:timers/promises';
import { UnreachableDatabaseError } from '../unavailable.ts';

export type Transactions = <T>(transaction: () => Promise<T>) => Promise<T>;

/** How often a transaction that PostgreSQL chose as the victim of a deadlock is done again. */
const maxVictims = 5;

/**
 * Lets `most` transactions at a time have a connection: the others of the pool stay free for reads that a transaction waits for, which
 * would otherwise wait for each other. A transaction that was ended to solve a deadlock is done again. One that gets no turn within
 * `waitMs` throws UnreachableDatabaseError.
 */
export function createTransactions({ most, waitMs }: { most: number; waitMs: number }): Transactions {
  let free = most;
  const waiting: (() => void)[] = [];

  async function enter(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.push(resolve);
    const late = globalThis.setTimeout(() => {
      const at = waiting.indexOf(resolve);
      if (at === -1) return;
      waiting.splice(at, 1);
      reject(new UnreachableDatabaseError('The database is busy', new Error(`no turn within ${waitMs} ms`)));
    }, waitMs);
    await promise.finally(() => clearTimeout(late));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return async (transaction) => {
    for (let victims = 0; ;) {
      await enter();
      try {
        return await transaction();
      } catch (error) {
        victims += 1;
        if (!isDeadlock(error) || victims === maxVictims) throw error;
      } finally {
        leave();
      }
      // The others of the deadlock go first.
      await setTimeout(Math.random() * 20 * 2 ** victims);
    }
  };
}

/** SQLSTATE 40P01 (deadlock_detected); the transaction has left nothing behind. */
function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01';
}
