import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Counts the deaths of processes that worked on a run, since its last progress, or on an archive, since its upload. */
export const countProcessEnds: MigrationStep = async (db, { integer }) => {
  await db.schema
    .alterTable('runs')
    .addColumn('process_ends', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  // Queried at every poll, among any number of waiting runs.
  await sql`create index runs_suspect on runs (turn, created_at, id)
    where status in ('QUEUED', 'RUNNING') and process_ends > 0`.execute(db);
  await db.schema
    .alterTable('archives')
    .addColumn('unpackings', integer, (column) => column.notNull().defaultTo(0))
    .execute();
};
