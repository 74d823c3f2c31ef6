import type { MigrationStep } from './migration-step.ts';

/** Code and values of the reasons of failures are stored beside their counts; null in rows of earlier releases. */
export const storeFailureSentences: MigrationStep = async (db) => {
  await db.schema.alterTable('runs').addColumn('failure_sentences', 'text').execute();
};
