import type { MigrationStep } from './migration-step.ts';

/** A document that ends the service while it is read is found by how often its reading has begun. */
export const countReadings: MigrationStep = async (db, { integer }) => {
  await db.schema
    .alterTable('rag_documents')
    .addColumn('readings', integer, (column) => column.notNull().defaultTo(0))
    .execute();
};
