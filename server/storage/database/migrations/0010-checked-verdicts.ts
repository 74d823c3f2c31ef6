import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Verdicts of set steps now have checksums: those of unfinished runs are recomputed from the signatures, which stay. */
export const forgetVerdicts: MigrationStep = async (db) => {
  await sql`update blobs set refs = refs - 1 where id in (select blob_id from set_verdicts)`.execute(db);
  await sql`delete from set_verdicts`.execute(db);
};
