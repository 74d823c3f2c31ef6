import type { MigrationStep } from './migration-step.ts';

export const createDataCleaning: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('cleaning_tasks')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('name_key', text, (column) => column.notNull())
    .addColumn('search_text', text, (column) => column.notNull())
    .addColumn('source_dataset_id', text, (column) => column.notNull())
    .addColumn('source_dataset_name', text, (column) => column.notNull())
    .addColumn('source_version', integer)
    .addColumn('target_dataset_id', text)
    .addColumn('target_dataset_name', text, (column) => column.notNull())
    .addColumn('owns_target', integer, (column) => column.notNull())
    .addColumn('steps', text, (column) => column.notNull())
    .addColumn('input', text, (column) => column.notNull())
    .addColumn('on_error', text, (column) => column.notNull())
    .addColumn('last_run_id', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('updated_by', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('cleaning_tasks_by_created').on('cleaning_tasks').columns(['created_at', 'id']).execute();
};
