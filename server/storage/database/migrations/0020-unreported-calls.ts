import type { MigrationStep } from './migration-step.ts';

/** Calls without token counts from the provider are counted separately, not by the maximum that they could have used. */
export const countUnreportedCalls: MigrationStep = async (db, { integer }) => {
  await db.schema
    .alterTable('model_usage')
    .addColumn('unreported_calls', integer, (column) => column.notNull().defaultTo(0))
    .execute();
};
