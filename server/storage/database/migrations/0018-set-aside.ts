import type { MigrationStep } from './migration-step.ts';

/** Runs keep their failed samples; shards get their first line number, which earlier runs did not count. */
export const setAsideSamples: MigrationStep = async (db, { text, integer }) => {
  await db.schema.alterTable('shards').addColumn('first_line', integer).execute();
  await db.schema.alterTable('shards').addColumn('set_aside', text).execute();
};
