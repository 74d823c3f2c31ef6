import type { MigrationStep } from './migration-step.ts';

/** Code and values of why a file or an archive failed are stored beside the text; null in rows of earlier releases. */
export const storeFileErrors: MigrationStep = async (db) => {
  await db.schema.alterTable('files').addColumn('error_sentence', 'text').execute();
  await db.schema.alterTable('archives').addColumn('error_sentence', 'text').execute();
};
