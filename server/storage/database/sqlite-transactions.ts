import { CompiledQuery, type DatabaseConnection, type Dialect, type Kysely } from 'kysely';
import type { Database } from './database-types.ts';
import type { Tables } from './schema.ts';
import { together } from './together.ts';
import { createTransactionMembers, runMembers, transactionOver } from './transaction-members.ts';

/**
 * Write transactions with concurrent statements: those started in one turn (`Promise.all`) reach the database in order, as one
 * message, where Kysely's own transactions wait for each reply. If one fails, the others still run and are rolled back with it.
 */
export function createSqliteTransactions(
  db: Kysely<Tables>,
  dialect: Dialect,
  /** Runs a statement only while a transaction is open. */
  inside: DatabaseConnection,
): Database['write'] {
  const outer = db.getExecutor();

  return (work, { sync = 'now' } = {}) =>
    outer.provideConnection(async (connection) => {
      const members = createTransactionMembers({ provideConnection: (consumer) => consumer(inside) });
      const tx = transactionOver(dialect, outer.withConnectionProvider(members.provider));
      const eased = sync === 'later' ? setSync(connection, 'normal') : undefined;
      const begun = connection.executeQuery(CompiledQuery.raw('begin immediate'));
      try {
        return await runMembers(
          members,
          async () => {
            // The first statements are sent together with BEGIN; if it fails, they fail too.
            const [, result] = await together([begun, work(tx), eased]);
            return result;
          },
          {
            commit: () => inside.executeQuery(CompiledQuery.raw('commit')),
            async rollBack() {
              await begun;
              await rollBack(connection);
            },
          },
        );
      } finally {
        if (sync === 'later') await setSync(connection, 'full');
      }
    });
}

async function setSync(connection: DatabaseConnection, mode: 'normal' | 'full'): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(`pragma synchronous = ${mode}`));
}

/** Ignores errors: SQLite may already have rolled back, for example when the disk is full; the original error says more. */
async function rollBack(connection: DatabaseConnection): Promise<void> {
  try {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw error;
  }
}
