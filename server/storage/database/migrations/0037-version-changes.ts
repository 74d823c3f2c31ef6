import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Indexes for finding the differences of two versions among rows added or ended between them, however many files there are. */
export const indexVersionChanges: MigrationStep = async (db) => {
  await db.schema.createIndex('files_by_added').on('files').columns(['dataset_id', 'added_version', 'path']).execute();
  await db.schema
    .createIndex('files_by_ended')
    .on('files')
    .columns(['dataset_id', 'ended_version', 'path'])
    .where(sql.ref('ended_version'), 'is not', null)
    .execute();
};
