import type { MigrationStep } from './migration-step.ts';

/** An upload may set the encoding of names in its archives. */
export const addNameEncodings: MigrationStep = async (db, { text }) => {
  await db.schema.alterTable('uploads').addColumn('name_encoding', text).execute();
  await db.schema.alterTable('archives').addColumn('name_encoding', text).execute();
};
