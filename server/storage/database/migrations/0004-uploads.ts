import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

export const createUploads: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('uploads')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('dataset_id', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('has_archive', integer, (column) => column.notNull())
    .addColumn('total_file_num', integer, (column) => column.notNull())
    .addColumn('total_size_bytes', integer, (column) => column.notNull())
    .addColumn('prefix', text, (column) => column.notNull())
    .addColumn('chunk_size_bytes', integer)
    .addColumn('on_conflict', text, (column) => column.notNull())
    .addColumn('calls', integer, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('active_at', text, (column) => column.notNull())
    .addColumn('ended_at', text)
    .execute();
  await db.schema
    .createIndex('uploads_by_activity')
    .on('uploads')
    .column('active_at')
    .where(sql.ref('ended_at'), 'is', null)
    .execute();
  await db.schema
    .createIndex('uploads_ended')
    .on('uploads')
    .column('ended_at')
    .where(sql.ref('ended_at'), 'is not', null)
    .execute();
  await db.schema.createIndex('uploads_by_dataset').on('uploads').column('dataset_id').execute();

  await db.schema
    .createTable('upload_files')
    .addColumn('upload_id', text, (column) => column.notNull())
    .addColumn('file_no', integer, (column) => column.notNull())
    .addColumn('file_name', text, (column) => column.notNull())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('total_chunks', integer, (column) => column.notNull())
    .addColumn('assembly_id', text)
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('file_id', text)
    .addColumn('blob_id', text)
    .addColumn('size_bytes', integer, (column) => column.notNull())
    .addColumn('crc32', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('upload_files_key', ['upload_id', 'file_no'])
    .execute();
  await db.schema
    .createIndex('upload_files_receiving')
    .on('upload_files')
    .columns(['upload_id', 'file_no'])
    .where(sql.ref('state'), '=', 'RECEIVING')
    .execute();

  await db.schema
    .createTable('archives')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('upload_id', text, (column) => column.notNull())
    .addColumn('file_no', integer, (column) => column.notNull())
    .addColumn('dataset_id', text, (column) => column.notNull())
    .addColumn('file_id', text, (column) => column.notNull())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('blob_id', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('on_conflict', text, (column) => column.notNull())
    .addColumn('announced', integer, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('file_count', integer, (column) => column.notNull())
    .addColumn('total_size_bytes', integer, (column) => column.notNull())
    .addColumn('refused_count', integer, (column) => column.notNull())
    .addColumn('refusals', text, (column) => column.notNull())
    .addColumn('error', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('ended_at', text)
    .execute();
  await db.schema
    .createIndex('archives_pending')
    .on('archives')
    .column('id')
    .where(sql.ref('state'), '=', 'PENDING')
    .execute();
  await db.schema.createIndex('archives_by_upload').on('archives').columns(['upload_id', 'file_no']).execute();

  await db.schema
    .createTable('staged_entries')
    .addColumn('job_id', text, (column) => column.notNull())
    .addColumn('ordinal', integer, (column) => column.notNull())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('original_name', text, (column) => column.notNull())
    .addColumn('size_bytes', integer, (column) => column.notNull())
    .addColumn('blob_id', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('staged_entries_key', ['job_id', 'ordinal'])
    .execute();
};
