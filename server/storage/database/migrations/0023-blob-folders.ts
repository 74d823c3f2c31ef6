import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Services that share a database record which data folder received the bytes of a blob or an upload. */
export const recordBlobFolders: MigrationStep = async (db, { integer }) => {
  await db.schema.alterTable('data_folders').addColumn('folder_no', integer).execute();
  await sql`update data_folders set folder_no =
    (select count(*) from data_folders as before where before.place <= data_folders.place)`.execute(db);
  await db.schema.createIndex('data_folders_folder_no').unique().on('data_folders').column('folder_no').execute();
  await db.schema.alterTable('blobs').addColumn('folder_no', integer).execute();
  await db.schema.alterTable('assemblies').addColumn('folder_no', integer).execute();
};
