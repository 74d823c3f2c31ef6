import { sql } from 'kysely';
import type { MigrationStep } from '../migrate.ts';

/** An upload holds the version that its files come into open until it ends. */
export const openVersions: MigrationStep = async (db) => {
  await sql`alter table datasets add column open_upload_id text`.execute(db);
  await sql`alter table versions add column upload_id text`.execute(db);
};
