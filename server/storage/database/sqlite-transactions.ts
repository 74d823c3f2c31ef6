import { CompiledQuery, Transaction, type DatabaseConnection, type Dialect, type Kysely } from 'kysely';
import type { Database, Tx } from './database-types.ts';
import type { Tables } from './schema.ts';

/**
 * Write transactions with concurrent statements: those started in one turn (`Promise.all`) reach the database in their order, as
 * one message, where Kysely's own transactions wait for each answer. When one fails the others still run, and are rolled back
 * with it.
 */
export function createSqliteTransactions(
  db: Kysely<Tables>,
  dialect: Dialect,
  /** Runs a statement only while a transaction is open. */
  inside: DatabaseConnection,
): Database['write'] {
  const outer = db.getExecutor();
  // A transaction never uses its driver.
  const parts = { config: { dialect }, dialect, driver: dialect.createDriver() };

  return (work, { sync = 'now' } = {}) =>
    outer.provideConnection(async (connection) => {
      let ended = false;
      const executor = outer.withConnectionProvider({
        provideConnection(consumer) {
          if (ended) return Promise.reject(new Error('The transaction has ended already'));
          return consumer(inside);
        },
      });
      const tx: Tx = new Transaction<Tables>({ ...parts, executor });
      const eased = sync === 'later' ? setSync(connection, 'normal') : undefined;
      const begun = connection.executeQuery(CompiledQuery.raw('begin immediate'));
      try {
        // The first statements are sent together with BEGIN; if it fails, so do they.
        const [, result] = await Promise.all([begun, work(tx), eased]);
        await inside.executeQuery(CompiledQuery.raw('commit'));
        return result;
      } catch (error) {
        // Work that is still running must not reach the next transaction.
        ended = true;
        await begun;
        await rollBack(connection);
        throw error;
      } finally {
        ended = true;
        if (sync === 'later') await setSync(connection, 'full');
      }
    });
}

async function setSync(connection: DatabaseConnection, mode: 'normal' | 'full'): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(`pragma synchronous = ${mode}`));
}

/** SQLite may already have rolled back, for example when the disk is full; the original error says more. */
async function rollBack(connection: DatabaseConnection): Promise<void> {
  try {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw error;
  }
}
