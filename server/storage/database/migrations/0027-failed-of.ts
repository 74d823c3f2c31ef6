import type { MigrationStep } from './migration-step.ts';

/** A run may process the failed samples of an earlier run. */
export const recordFailedOf: MigrationStep = async (db, { text }) => {
  await db.schema.alterTable('runs').addColumn('failed_of', text).execute();
};
