import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import type { Tables } from './schema.ts';

const int8 = 20;
const numeric = 1700;

/** PostgreSQL through one pool; counts and sums come as numbers (they stay below 2^53). */
export async function openPostgres(url: string, poolSize = 10): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8 || oid === numeric
          ? Number
          : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  });
  // An idle connection that the server cuts is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => {});
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
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
