import type { MigrationStep } from './migration-step.ts';

/** Counts how often reading a document has begun, to identify a document that crashes the service. */
export const countReadings: MigrationStep = async (db, { integer }) => {
  await db.schema
    .alterTable('rag_documents')
    .addColumn('readings', integer, (column) => column.notNull().defaultTo(0))
    .execute();
};
