import type { MigrationStep } from './migration-step.ts';

/** What was changed in the replies of which a record was made; null in records of earlier releases. */
export const storeRecordMendings: MigrationStep = async (db) => {
  await db.schema.alterTable('synthesis_records').addColumn('mended', 'text').execute();
};
