import type { MigrationStep } from './migration-step.ts';

/** Code and values of the message of a version are stored beside its text; null in rows of earlier releases. */
export const storeVersionMessages: MigrationStep = async (db) => {
  await db.schema.alterTable('versions').addColumn('message_sentence', 'text').execute();
};
