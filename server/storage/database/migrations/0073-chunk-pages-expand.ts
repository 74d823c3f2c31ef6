import type { MigrationStep } from './migration-step.ts';

/** Where each page of a chunk with text of several pages starts in it; null in rows of earlier releases. */
export const storeChunkPages: MigrationStep = async (db) => {
  await db.schema.alterTable('rag_chunks').addColumn('pages', 'text').execute();
};
