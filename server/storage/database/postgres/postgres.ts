import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database, ReadOnlyDatabase, Tx } from '../database-types.ts';
import { migrate } from '../migrate.ts';
import type { Tables } from '../schema.ts';
import { createTransactionMembers, runMembers, transactionOver } from '../transaction-members.ts';
import { acquireMs, openConnectionPool, type ConnectionPoolOptions } from './connection-pool.ts';
import { createTransactions } from './transactions.ts';

/** Connections reserved for reads, which transactions do not use. */
const readConnections = 3;

const int8 = 20;
const numeric = 1700;

/** Counts and sums are parsed as numbers (they stay below 2^53). */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 || oid === numeric ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** PostgreSQL through one pool; a transaction whose promise rejects has no effect, however its connection ended. */
export async function openPostgres(
  url: string,
  {
    size = 10,
    idleTransactionMs = 60_000,
    ...rest
  }: Partial<Pick<ConnectionPoolOptions, 'size' | 'silence' | 'outcomeWaitMs'>> & { idleTransactionMs?: number } = {},
): Promise<Database> {
  const pool = openConnectionPool({
    url,
    size,
    types,
    options: `-c idle_in_transaction_session_timeout=${idleTransactionMs}`,
    ...rest,
  });
  const dialect = new PostgresDialect({ pool });
  const db = new Kysely<Tables>({ dialect });
  const transactions = createTransactions({ most: Math.max(1, size - readConnections), waitMs: acquireMs });
  try {
    await pool.prepare();
    await migrate(db, 'postgres');
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    dialect: 'postgres',
    read: db,
    scan: db,
    write: (work) => transactions(() => db.transaction().execute((tx) => runWork(dialect, tx, work))),
    close: () => pool.end(),
  };
}

/** Read-only access: the database refuses every write. */
export function openPostgresReadOnly(url: string, poolSize = 2): ReadOnlyDatabase {
  const options = '-c default_transaction_read_only=on';
  const pool = openConnectionPool({ url, size: poolSize, types, options, isReadOnly: true });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return { dialect: 'postgres', read: db, scan: db, close: () => pool.end() };
}

/** Kysely rolls back and frees the connection as soon as `work` rejects, so it must reject only after its statements have settled. */
function runWork<T>(dialect: PostgresDialect, tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  const executor = tx.getExecutor();
  const members = createTransactionMembers(executor);
  const counted = transactionOver(dialect, executor.withConnectionProvider(members.provider));
  return runMembers(members, () => work(counted), { commit: async () => {}, rollBack: async () => {} });
}
