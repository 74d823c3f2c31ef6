import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/**
 * An upload holds the version of its files open until it ends; archives record where they were unpacked and what they replaced.
 */
export const openVersions: MigrationStep = async (db) => {
  await sql`alter table datasets add column open_upload_id text`.execute(db);
  await sql`alter table versions add column upload_id text`.execute(db);
  await sql`alter table uploads add column unpack_into text not null default 'PREFIX'`.execute(db);
  await sql`alter table archives add column unpack_into text not null default 'PREFIX'`.execute(db);
  await sql`alter table archives add column effects text not null default '{}'`.execute(db);
};
