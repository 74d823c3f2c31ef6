import type { MigrationStep } from './migration-step.ts';

/** Published operators, their versions, ratings, and the keys of publishers. */
export const createOperatorMarket: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('market_operators')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('installed_version', text)
    .addColumn('disabled', integer, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('market_versions')
    .addColumn('operator_id', text, (column) => column.notNull())
    .addColumn('version', text, (column) => column.notNull())
    .addColumn('digest', text, (column) => column.notNull())
    .addColumn('blob_id', text)
    .addColumn('size_bytes', integer, (column) => column.notNull())
    .addColumn('manifest', text, (column) => column.notNull())
    .addColumn('readme', text, (column) => column.notNull())
    .addColumn('icon', text)
    .addColumn('signature', text)
    .addColumn('metrics', text, (column) => column.notNull())
    .addColumn('approved_at', text)
    .addColumn('approved_by', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('deleted_at', text)
    .addPrimaryKeyConstraint('market_versions_key', ['operator_id', 'version'])
    .execute();
  await db.schema.createIndex('market_versions_by_digest').on('market_versions').column('digest').execute();
  await db.schema
    .createTable('market_ratings')
    .addColumn('operator_id', text, (column) => column.notNull())
    .addColumn('user_id', text, (column) => column.notNull())
    .addColumn('stars', integer, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('market_ratings_key', ['operator_id', 'user_id'])
    .execute();
  await db.schema
    .createTable('publisher_keys')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull().unique())
    .addColumn('public_key', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .execute();
};
