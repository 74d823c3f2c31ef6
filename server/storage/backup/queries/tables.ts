import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';

/** The tables of a PostgreSQL database. */
export async function listTableNames(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = current_schema()`.execute(db);
  return rows.map(({ name }) => name);
}

export async function hasRows(db: Db, table: string): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
  return rows.length > 0;
}
