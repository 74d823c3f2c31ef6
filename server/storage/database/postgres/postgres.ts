import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import pg from 'pg';
import type { Database, ReadOnlyDatabase } from '../database-types.ts';
import { migrate } from '../migrate.ts';
import type { Tables } from '../schema.ts';
import { acquireMs, openConnectionPool, type ConnectionPoolOptions } from './connection-pool.ts';
import { createTransactions } from './transactions.ts';

/** Connections that transactions leave to reads. */
const readConnections = 3;

const int8 = 20;
const numeric = 1700;

/** Counts and sums are parsed as numbers (they stay below 2^53). */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 || oid === numeric ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** PostgreSQL through one pool; a transaction whose promise rejects has left nothing behind, however its connection ended. */
export async function openPostgres(
  url: string,
  {
    size = 10,
    idleTransactionMs = 60_000,
    ...rest
  }: Partial<Pick<ConnectionPoolOptions, 'size' | 'silence' | 'fateWaitMs'>> & { idleTransactionMs?: number } = {},
): Promise<Database> {
  const pool = openConnectionPool({
    url,
    size,
    types,
    options: `-c idle_in_transaction_session_timeout=${idleTransactionMs}`,
    ...rest,
  });
  const db = kyselyOver(pool);
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
    write: (work) => transactions(() => db.transaction().execute(work)),
    close: () => pool.end(),
  };
}

/** Read-only access: the database refuses every write. */
export function openPostgresReadOnly(url: string, poolSize = 2): ReadOnlyDatabase {
  const pool = openConnectionPool({ url, size: poolSize, types, options: '-c default_transaction_read_only=on' });
  const db = kyselyOver(pool);
  return { dialect: 'postgres', read: db, scan: db, close: () => pool.end() };
}

function kyselyOver(pool: PostgresPool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
