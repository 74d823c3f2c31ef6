import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';

/** Whether a PostgreSQL database has the table. */
export async function hasTable(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    select count(*) as found from information_schema.tables
    where table_schema = current_schema() and table_name = ${name}`.execute(db);
  return rows[0]?.found === 1;
}
