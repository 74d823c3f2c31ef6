import type { MigrationStep } from './migration-step.ts';

/** Code and values of why a content is not counted are stored beside the text; null in rows of earlier releases. */
export const storeStatisticsProblems: MigrationStep = async (db) => {
  await db.schema.alterTable('content_statistics').addColumn('problem_sentence', 'text').execute();
};
