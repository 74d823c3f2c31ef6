import type { MigrationStep } from './migration-step.ts';

/** Code and values of the problem of an unpacked file are stored beside its text; null in rows of earlier releases. */
export const storeUnpackedProblems: MigrationStep = async (db) => {
  await db.schema.alterTable('unpacked_files').addColumn('problem_sentence', 'text').execute();
};
