import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';
import type { DataFoldersTable } from '../../database/tables/blobs.ts';

/** Records that a data folder belongs to the database, under the next number; does nothing if another one just took that. */
export async function insertDataFolder(db: Db, place: string, firstUsedAt: string): Promise<void> {
  await sql`insert into data_folders (place, first_used_at, folder_no)
    select ${place}, ${firstUsedAt}, coalesce(max(folder_no), 0) + 1 from data_folders where true
    on conflict do nothing`.execute(db);
}

/** The number of a data folder of the database. */
export async function findDataFolderNo(db: Db, place: string): Promise<number | undefined> {
  const row = await db.selectFrom('data_folders').select('folder_no').where('place', '=', place).executeTakeFirst();
  return row?.folder_no;
}

/** All data folders that belong to the database. */
export async function listDataFolders(db: Db): Promise<DataFoldersTable[]> {
  return db.selectFrom('data_folders').selectAll().orderBy('folder_no').execute();
}

/** How many other data folders belong to the database. */
export async function countOtherDataFolders(db: Db, folderNo: number): Promise<number> {
  const { count } = await db
    .selectFrom('data_folders')
    .select(sql<number>`cast(count(*) as integer)`.as('count'))
    .where('folder_no', '!=', folderNo)
    .executeTakeFirstOrThrow();
  return count;
}
