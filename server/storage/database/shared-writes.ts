import type { Database, Tx } from './database-types.ts';
import { createGroupCommit } from '../../kernel/group-commit.ts';
import { together } from './together.ts';
import { isDatabaseUnavailable } from './unavailable.ts';

type Work = (tx: Tx) => Promise<unknown>;

/**
 * Combines the transactions of many callers: while one is running, the next works gather, and their statements then run concurrently
 * in one transaction. If a work fails, the group is rolled back and each work is run again in a transaction of its own, so a work must
 * be short and safe to repeat. On PostgreSQL, which has many writers that would wait for the locks of a whole group, each has its own.
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
  // Each caller gets the result of its own work.
  return <T>(work: (tx: Tx) => Promise<T>) => groups.commit(work) as Promise<T>;
}
