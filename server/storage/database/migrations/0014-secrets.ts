import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Values that are encrypted at rest, and the keys in use. */
export const createSecrets: MigrationStep = async (db, { text }) => {
  await db.schema
    .createTable('secrets')
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('owner_id', text, (column) => column.notNull())
    .addColumn('field', text, (column) => column.notNull())
    .addColumn('key_id', text, (column) => column.notNull())
    .addColumn('encrypted', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('secrets_key', ['kind', 'owner_id', 'field'])
    .execute();
  await db.schema.createIndex('secrets_by_key').on('secrets').column('key_id').execute();

  await db.schema
    .createTable('secret_keys')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .execute();
  // Makes services that start at the same moment agree on one key.
  await sql`create unique index secret_keys_current on secret_keys (state) where state = 'CURRENT'`.execute(db);
};
