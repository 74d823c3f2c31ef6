import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Nobody looks for blobs of equal content any more. */
export const unshareBlobs: MigrationStep = async (db) => {
  await sql`drop index blobs_by_sha256`.execute(db);
};
