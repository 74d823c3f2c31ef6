import type { MigrationStep } from './migration-step.ts';

/** Statistics of each content, which can be recomputed at any time. */
export const createContentStatistics: MigrationStep = async (db, { text }) => {
  await db.schema
    .createTable('content_statistics')
    .addColumn('blob_id', text, (column) => column.primaryKey())
    .addColumn('facts', text)
    .addColumn('problem', text)
    .execute();
};
