import type { MigrationStep } from './migration-step.ts';

/** Code and values of why a record was left out, or a sample can't be used; null in rows of earlier releases. */
export const storeRecordReasons: MigrationStep = async (db) => {
  await db.schema.alterTable('synthesis_records').addColumn('reason_sentence', 'text').execute();
  await db.schema.alterTable('synthesis_samples').addColumn('problem_sentence', 'text').execute();
};
