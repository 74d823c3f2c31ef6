import type { MigrationStep } from './migration-step.ts';

export const createAuth: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('users')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('username', text, (column) => column.notNull())
    .addColumn('username_key', text, (column) => column.notNull().unique())
    .addColumn('password_hash', text, (column) => column.notNull())
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('token_generation', integer, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('api_keys')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('user_id', text, (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('key_hash', text, (column) => column.notNull().unique())
    .addColumn('prefix', text, (column) => column.notNull())
    .addColumn('role', text)
    .addColumn('expires_at', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('api_keys_by_user').on('api_keys').columns(['user_id', 'created_at', 'id']).execute();

  await db.schema
    .createTable('revoked_tokens')
    .addColumn('jti', text, (column) => column.primaryKey())
    .addColumn('expires_at', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('revoked_tokens_by_expiry').on('revoked_tokens').column('expires_at').execute();
};
