import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Drops the lookup of blobs by content, which nothing uses any more. */
export const unshareBlobs: MigrationStep = async (db) => {
  await sql`drop index blobs_by_sha256`.execute(db);
};
