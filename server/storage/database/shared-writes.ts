import type { Database, Tx } from './database-types.ts';
import { createGroupCommit } from '../../kernel/group-commit.ts';
import { together } from './together.ts';
import { isDatabaseUnavailable } from './unavailable.ts';

type Work = (tx: Tx) => Promise<unknown>;

/**
 * Transactions of many callers as one: while one is under way the next works gather, and their statements run side by side. When one
 * work fails, nothing of its group stays, and each is done again in a transaction of its own; so a work must be short, and do nothing
 * that a second time would spoil. PostgreSQL has many writers, which would wait for the locks of a whole group: there each has its own.
 */
export function createSharedWrites({
  dialect,
  write,
}: Pick<Database, 'dialect' | 'write'>): <T>(work: (tx: Tx) => Promise<T>) => Promise<T> {
  const groups = createGroupCommit<Work, unknown>(async (group) => {
    if (group.length > 1) {
      try {
        const results = await write((tx) => together(group.map(({ item }) => item(tx))));
        for (const [at, { resolve }] of group.entries()) resolve(results[at]);
        return;
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
      }
    }
    for (const { item, resolve, reject } of group) await write(item).then(resolve, reject);
  });
  if (dialect === 'postgres') return write;
  // Each caller gets what its own work gave.
  return <T>(work: (tx: Tx) => Promise<T>) => groups.commit(work) as Promise<T>;
}
