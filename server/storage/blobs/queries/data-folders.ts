import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';
import type { DataFoldersTable } from '../../database/tables/blobs.ts';

/** Assigns the next number to a data folder of the database; does nothing if another process has just taken that number. */
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

/** Number of other data folders of the database. */
export async function countOtherDataFolders(db: Db, folderNo: number): Promise<number> {
  const { count } = await db
    .selectFrom('data_folders')
    .select(sql<number>`cast(count(*) as integer)`.as('count'))
    .where('folder_no', '!=', folderNo)
    .executeTakeFirstOrThrow();
  return count;
}
