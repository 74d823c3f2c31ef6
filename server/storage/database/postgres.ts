import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import type { ReadOnlyDatabase } from './read-only-database.ts';
import type { Tables } from './schema.ts';
import { UnreachableDatabaseError } from './unavailable.ts';

const int8 = 20;
const numeric = 1700;

/** PostgreSQL through one pool. */
export async function openPostgres(url: string, poolSize = 10): Promise<Database> {
  const db = openPool(url, { max: poolSize });
  try {
    await migrate(db, 'postgres');
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    dialect: 'postgres',
    read: db,
    scan: db,
    write: (work) => db.transaction().execute(work),
    close: () => db.destroy(),
  };
}

/** The same for whoever only looks: the database refuses every write. */
export function openPostgresReadOnly(url: string, poolSize = 2): ReadOnlyDatabase {
  const db = openPool(url, { max: poolSize, options: '-c default_transaction_read_only=on' });
  return { dialect: 'postgres', read: db, scan: db, close: () => db.destroy() };
}

/** Counts and sums come as numbers (they stay below 2^53). */
function openPool(url: string, options: pg.PoolConfig): Kysely<Tables> {
  const pool = new pg.Pool({
    connectionString: url,
    ...options,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8 || oid === numeric
          ? Number
          : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  });
  // An idle connection that the server cuts is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => {});
  const connect = (): Promise<pg.PoolClient> =>
    pool.connect().catch((error: unknown) => {
      throw new UnreachableDatabaseError(error);
    });
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { options: pool.options, connect, end: () => pool.end() } }),
  });
}
