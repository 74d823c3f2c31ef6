import { setTimeout } from 'node:timers/promises';
import { UnreachableDatabaseError } from '../unavailable.ts';

export type Transactions = <T>(transaction: () => Promise<T>) => Promise<T>;

/** Maximum retries of a transaction that PostgreSQL chose as a deadlock victim. */
const maxVictims = 5;

/**
 * Limits concurrent transactions to `most`: the pool's other connections stay free for reads that transactions wait for;
 * otherwise they would block each other. Retries a transaction that was aborted to resolve a deadlock. One that gets no turn
 * within `waitMs` throws UnreachableDatabaseError.
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
      // Let the other transactions of the deadlock finish first.
      await setTimeout(Math.random() * 20 * 2 ** victims);
    }
  };
}

/** SQLSTATE 40P01 (deadlock_detected); the transaction had no effect. */
function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01';
}
