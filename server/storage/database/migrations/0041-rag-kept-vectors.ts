import type { MigrationStep } from './migration-step.ts';

/** Paid vectors outlive their index for a while, so that returning to earlier settings need not pay for them again. */
export const keepPaidVectors: MigrationStep = async (db, { text }) => {
  await db.schema
    .alterTable('rag_disposals')
    .addColumn('embedding_model', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await db.schema.alterTable('rag_disposals').addColumn('keep_until', text).execute();
};
