import type { MigrationStep } from './migration-step.ts';

/** Blobs in an object store: the store, and uploads whose chunks become parts of an object. */
export const createObjectStores: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('object_stores')
    .addColumn('slot', integer, (column) => column.primaryKey())
    .addColumn('marker', text, (column) => column.notNull())
    .addColumn('url', text, (column) => column.notNull())
    .addColumn('first_used_at', text, (column) => column.notNull())
    .execute();
  await db.schema.alterTable('assemblies').addColumn('upload_id', text).execute();
  await db.schema
    .createTable('assembly_claims')
    .addColumn('assembly_id', text, (column) => column.notNull())
    .addColumn('chunk_no', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('assembly_claims_pk', ['assembly_id', 'chunk_no'])
    .execute();
};
