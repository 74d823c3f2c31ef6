import type { MigrationStep } from './migration-step.ts';

/** The data folders of the services that share a database; each has its own bytes. */
export const createDataFolders: MigrationStep = async (db, { text }) => {
  await db.schema
    .createTable('data_folders')
    .addColumn('place', text, (column) => column.primaryKey())
    .addColumn('first_used_at', text, (column) => column.notNull())
    .execute();
};
