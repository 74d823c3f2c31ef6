import type { MigrationStep } from './migration-step.ts';

/** How often the process that worked on it has ended: of runs since the last progress, of archives since the upload. */
export const countProcessEnds: MigrationStep = async (db, { integer }) => {
  await db.schema
    .alterTable('runs')
    .addColumn('process_ends', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('archives')
    .addColumn('unpackings', integer, (column) => column.notNull().defaultTo(0))
    .execute();
};
