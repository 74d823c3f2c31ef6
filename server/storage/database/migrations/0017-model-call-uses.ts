import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** The day on which each reply was last used: unused replies are erased after a while. */
export const addModelCallUses: MigrationStep = async (db, { text }) => {
  await db.schema
    .alterTable('model_calls')
    .addColumn('used_on', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await sql`update model_calls set used_on = substr(created_at, 1, 10)`.execute(db);
  await sql`create index model_calls_by_use on model_calls (used_on)`.execute(db);
};
