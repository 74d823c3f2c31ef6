import type { MigrationStep } from './migration-step.ts';

/** Calls whose tokens a provider did not tell are counted apart, instead of by the most that they could have used. */
export const countUnreportedCalls: MigrationStep = async (db, { integer }) => {
  await db.schema
    .alterTable('model_usage')
    .addColumn('unreported_calls', integer, (column) => column.notNull().defaultTo(0))
    .execute();
};
