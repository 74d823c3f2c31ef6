import type { MigrationStep } from './migration-step.ts';

/** What a dataset may be used for, and how it is cited. */
export const addDatasetCards: MigrationStep = async (db, { text }) => {
  for (const column of ['license', 'citation'])
    await db.schema.alterTable('datasets').addColumn(column, text).execute();
};
