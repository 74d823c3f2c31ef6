import type { MigrationStep } from './migration-step.ts';

/** Paths of datasets that people return to. */
export const createBookmarks: MigrationStep = async (db, { text }) => {
  await db.schema
    .createTable('bookmarks')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('bookmarks_by_name').unique().on('bookmarks').column('name').execute();
};
