import type { MigrationStep } from './migration-step.ts';

/** The column at which a record was dropped or failed, and the values of all its columns. */
export const addSynthesisColumns: MigrationStep = async (db, { text }) => {
  await db.schema.alterTable('synthesis_records').addColumn('column_name', text).execute();
  await db.schema.alterTable('synthesis_records').addColumn('made_columns', text).execute();
};
