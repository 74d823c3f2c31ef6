import type { MigrationStep } from './migration-step.ts';

/** What a connector needs to continue a list that grows while it is read, and how much of its budgets it has used. */
export const noteItems: MigrationStep = async (db, { text, integer }) => {
  await db.schema.alterTable('collection_runs').addColumn('spent', text).execute();
  await db.schema
    .createTable('collection_notes')
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('item_no', integer, (column) => column.notNull())
    .addColumn('note', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('collection_notes_key', ['run_id', 'item_no'])
    .execute();
};
