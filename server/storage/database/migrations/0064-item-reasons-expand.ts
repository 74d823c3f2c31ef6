import type { MigrationStep } from './migration-step.ts';

/** Code and values of the reason of a collected item are stored beside its text; null in rows of earlier releases. */
export const storeItemReasons: MigrationStep = async (db) => {
  await db.schema.alterTable('collection_items').addColumn('reason_sentence', 'text').execute();
};
