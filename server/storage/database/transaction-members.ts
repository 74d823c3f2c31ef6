import { Transaction, type ConnectionProvider, type Dialect, type QueryExecutor } from 'kysely';
import type { Tx } from './database-types.ts';
import type { Tables } from './schema.ts';

/**
 * The running statements of one transaction, which ends only after all of them have settled: a statement that outlived it would
 * run outside of every transaction, or within the next one on its connection.
 */
export type TransactionMembers = {
  /** Provides the connection to the transaction's statements. Refuses statements after its end. */
  provider: ConnectionProvider;
  /** The first failure of a statement. The transaction must not commit after it, even if the failure was handled. */
  readonly failure: { error: unknown } | undefined;
  /** Resolves at once if no statement is running, otherwise when none is and none follows in the next turn. */
  settled(): Promise<void>;
  /** For use after a failure: also waits one turn if none is running, because concurrent work may be between two statements. */
  allSettled(): Promise<void>;
  /** Refuses all later statements. */
  end(): void;
};

export function createTransactionMembers(connections: ConnectionProvider): TransactionMembers {
  let underWay = 0;
  let hasEnded = false;
  let failure: { error: unknown } | undefined;
  let onIdle: (() => void) | undefined;

  function leave(): void {
    underWay -= 1;
    if (underWay === 0) onIdle?.();
  }

  async function allSettled(): Promise<void> {
    for (;;) {
      if (underWay > 0) await new Promise<void>((resolve) => (onIdle = resolve));
      await new Promise((resolve) => setImmediate(resolve));
      if (underWay === 0) return;
    }
  }

  return {
    provider: {
      provideConnection(consumer) {
        if (hasEnded) return Promise.reject(new Error('The transaction has ended already'));
        underWay += 1;
        return connections.provideConnection(consumer).then(
          (result) => {
            leave();
            return result;
          },
          (error: unknown) => {
            failure ??= { error };
            leave();
            throw error;
          },
        );
      },
    },
    get failure() {
      return failure;
    },
    async settled() {
      if (underWay > 0) await allSettled();
    },
    allSettled,
    end() {
      hasEnded = true;
    },
  };
}

/** The transaction as passed to its work; `executor` runs its statements through its members. */
export function transactionOver(dialect: Dialect, executor: QueryExecutor): Tx {
  // A transaction never uses its driver.
  return new Transaction<Tables>({ config: { dialect }, dialect, driver: dialect.createDriver(), executor });
}

/**
 * Runs the work of a transaction, including concurrent statements that it started, to its end, then commits or rolls back.
 * Throws only the first failure.
 */
export async function runMembers<T>(
  members: TransactionMembers,
  work: () => Promise<T>,
  { commit, rollBack }: { commit: () => Promise<unknown>; rollBack: () => Promise<unknown> },
): Promise<T> {
  try {
    const result = await work();
    await members.settled();
    if (members.failure !== undefined) throw members.failure.error;
    members.end();
    await commit();
    return result;
  } catch (error) {
    await members.allSettled();
    members.end();
    await rollBack();
    throw error;
  }
}
