import type { MigrationStep } from './migration-step.ts';

/** The languages of the uploading user, a hint for guessing the encoding of names in archives; null in earlier rows. */
export const addNameLanguages: MigrationStep = async (db, { text }) => {
  await db.schema.alterTable('uploads').addColumn('name_languages', text).execute();
  await db.schema.alterTable('archives').addColumn('name_languages', text).execute();
};
