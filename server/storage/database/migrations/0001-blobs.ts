import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

export const createBlobs: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('blobs')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('size_bytes', integer, (column) => column.notNull())
    .addColumn('crc32', integer, (column) => column.notNull())
    .addColumn('sha256', text)
    .addColumn('refs', integer, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('object_id', text, (column) => column.notNull())
    .addColumn('object_offset', integer, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('blobs_by_sha256').on('blobs').column('sha256').execute();
  await db.schema.createIndex('blobs_by_object').on('blobs').columns(['object_id', 'object_offset']).execute();
  await db.schema.createIndex('blobs_unreferenced').on('blobs').column('id').where(sql.ref('refs'), '=', 0).execute();

  await db.schema
    .createTable('assemblies')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('total_chunks', integer, (column) => column.notNull())
    .addColumn('chunk_size_bytes', integer)
    .addColumn('sealed_size_bytes', integer)
    .addColumn('sealed_crc32', integer)
    .addColumn('sealed_sha256', text)
    .addColumn('sealed_kind', text)
    .addColumn('sealed_object_id', text)
    .addColumn('sealed_object_offset', integer)
    .addColumn('boot_id', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('assembly_chunks')
    .addColumn('assembly_id', text, (column) => column.notNull())
    .addColumn('chunk_no', integer, (column) => column.notNull())
    .addColumn('size_bytes', integer, (column) => column.notNull())
    .addColumn('crc32', integer, (column) => column.notNull())
    .addColumn('beside', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('assembly_chunks_key', ['assembly_id', 'chunk_no'])
    .execute();
};
