import type { MigrationStep } from './migration-step.ts';

/** Code and values of the note of a schedule are stored beside its text; null in rows of earlier releases. */
export const storeScheduleNotes: MigrationStep = async (db) => {
  await db.schema.alterTable('tasks').addColumn('schedule_note_sentence', 'text').execute();
};
