import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Any number of nodes with one database: which are alive, failed logins counted across all, and which node unpacks an archive. */
export const createNodes: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('nodes')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('place', text, (column) => column.notNull())
    .addColumn('version', text, (column) => column.notNull())
    .addColumn('newest_step', text, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('started_at', text, (column) => column.notNull())
    .addColumn('seen_at', integer, (column) => column.notNull())
    .addColumn('serving', integer, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('login_failures')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('username_key', text)
    .addColumn('failed_at', integer, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('login_failures_by_address')
    .on('login_failures')
    .columns(['address', 'failed_at'])
    .execute();
  await db.schema.createIndex('login_failures_by_time').on('login_failures').column('failed_at').execute();
  await db.schema.alterTable('archives').addColumn('node_id', text).execute();
  await db.schema
    .alterTable('uploads')
    .addColumn('completed_files', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('uploads')
    .addColumn('completed_bytes', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update uploads set
    completed_files = (select count(*) from upload_files where upload_id = uploads.id and state = 'COMPLETED'),
    completed_bytes =
      (select coalesce(sum(size_bytes), 0) from upload_files where upload_id = uploads.id and state = 'COMPLETED')`.execute(
    db,
  );
};
