import type { MigrationStep } from './migration-step.ts';

/** What a run waits for that a process drives; null in rows of earlier releases. */
export const storeWhatRunsWaitFor: MigrationStep = async (db) => {
  await db.schema.alterTable('runs').addColumn('waiting_for', 'text').execute();
  await db.schema.alterTable('runs').addColumn('waiting_for_sentence', 'text').execute();
};
