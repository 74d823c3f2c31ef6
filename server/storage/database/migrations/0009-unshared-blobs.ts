import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Drops the index for looking up blobs by content, which is no longer used. */
export const unshareBlobs: MigrationStep = async (db) => {
  await sql`drop index blobs_by_sha256`.execute(db);
};
