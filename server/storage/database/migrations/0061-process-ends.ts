import type { MigrationStep } from './migration-step.ts';

/** How often the process that drove a run has ended without releasing it, since the run last made progress. */
export const countProcessEnds: MigrationStep = async (db, { integer }) => {
  await db.schema
    .alterTable('runs')
    .addColumn('process_ends', integer, (column) => column.notNull().defaultTo(0))
    .execute();
};
