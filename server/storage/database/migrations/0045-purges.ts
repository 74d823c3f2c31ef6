import type { MigrationStep } from './migration-step.ts';

/** Records who erased which content from all versions, and what that affected. */
export const createPurges: MigrationStep = async (db, { text }) => {
  await db.schema
    .createTable('purges')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('dataset_id', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('report', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('purges_by_dataset').on('purges').columns(['dataset_id', 'created_at', 'id']).execute();
};
