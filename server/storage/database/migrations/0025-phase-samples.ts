import type { MigrationStep } from './migration-step.ts';

/** Samples that a run's phase has processed: while a phase compares samples, none counts as kept or dropped yet. */
export const addPhaseSamples: MigrationStep = async (db, { integer }) => {
  await db.schema
    .alterTable('runs')
    .addColumn('phase_samples', integer, (column) => column.notNull().defaultTo(0))
    .execute();
};
