import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Owners of waiting runs take turns, so that a few runs do not wait behind thousands of another owner. */
export const addRunTurns: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .alterTable('runs')
    .addColumn('owner', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await db.schema
    .alterTable('runs')
    .addColumn('turn', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update runs set owner = task_id`.execute(db);
  await sql`drop index runs_unfinished`.execute(db);
  // For the polling of every process.
  await sql`create index runs_unfinished on runs (turn, created_at, id) where status in ('QUEUED', 'RUNNING')`.execute(
    db,
  );
  await sql`create index runs_waiting on runs (owner, turn) where status = 'QUEUED'`.execute(db);
};
