import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';

/** Records that a data folder belongs to the database. */
export async function insertDataFolder(db: Db, place: string, firstUsedAt: string): Promise<void> {
  await db
    .insertInto('data_folders')
    .values({ place, first_used_at: firstUsedAt })
    .onConflict((conflict) => conflict.column('place').doNothing())
    .execute();
}

/** How many other data folders belong to the database. */
export async function countOtherDataFolders(db: Db, place: string): Promise<number> {
  const { count } = await db
    .selectFrom('data_folders')
    .select(sql<number>`cast(count(*) as integer)`.as('count'))
    .where('place', '!=', place)
    .executeTakeFirstOrThrow();
  return count;
}
