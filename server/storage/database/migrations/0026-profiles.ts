import type { MigrationStep } from './migration-step.ts';

/** Results of runs that measure all samples of a dataset. */
export const createProfiles: MigrationStep = async (db, { text }) => {
  await db.schema
    .createTable('profiles')
    .addColumn('run_id', text, (column) => column.primaryKey())
    .addColumn('figures', text, (column) => column.notNull())
    .execute();
};
