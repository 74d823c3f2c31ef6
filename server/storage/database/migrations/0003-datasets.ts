import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

export const createDatasets: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('datasets')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('name_key', text, (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('search_text', text, (column) => column.notNull())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('data_source', text)
    .addColumn('target_location', text)
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('file_count', integer, (column) => column.notNull())
    .addColumn('completed_count', integer, (column) => column.notNull())
    .addColumn('total_size_bytes', integer, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('updated_by', text, (column) => column.notNull())
    .addColumn('deleted_at', text)
    .execute();
  await db.schema.createIndex('datasets_by_created').on('datasets').columns(['created_at', 'id']).execute();
  await db.schema
    .createIndex('datasets_deleted')
    .on('datasets')
    .column('id')
    .where(sql.ref('deleted_at'), 'is not', null)
    .execute();

  await db.schema
    .createTable('tags')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('name_key', text, (column) => column.notNull().unique())
    .addColumn('color', text, (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('dataset_tags')
    .addColumn('dataset_id', text, (column) => column.notNull())
    .addColumn('tag_id', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('dataset_tags_key', ['dataset_id', 'tag_id'])
    .execute();
  await db.schema.createIndex('dataset_tags_by_tag').on('dataset_tags').columns(['tag_id', 'dataset_id']).execute();

  await db.schema
    .createTable('dataset_counts')
    .addColumn('dataset_id', text, (column) => column.notNull())
    .addColumn('file_type', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('file_count', integer, (column) => column.notNull())
    .addColumn('total_size_bytes', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('dataset_counts_key', ['dataset_id', 'file_type', 'status'])
    .execute();
  await db.schema
    .createTable('versions')
    .addColumn('dataset_id', text, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('name', text)
    .addColumn('message', text)
    .addColumn('files_added', integer, (column) => column.notNull())
    .addColumn('files_ended', integer, (column) => column.notNull())
    .addColumn('file_count', integer, (column) => column.notNull())
    .addColumn('total_size_bytes', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('versions_key', ['dataset_id', 'version'])
    .execute();

  await db.schema
    .createTable('files')
    .addColumn('row_id', text, (column) => column.primaryKey())
    .addColumn('file_id', text, (column) => column.notNull())
    .addColumn('dataset_id', text, (column) => column.notNull())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('parent', text, (column) => column.notNull())
    .addColumn('search_text', text, (column) => column.notNull())
    .addColumn('original_name', text, (column) => column.notNull())
    .addColumn('file_type', text, (column) => column.notNull())
    .addColumn('content_type', text, (column) => column.notNull())
    .addColumn('size_bytes', integer, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('error', text)
    .addColumn('blob_id', text)
    .addColumn('uploaded_at', text, (column) => column.notNull())
    .addColumn('uploaded_by', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('added_version', integer, (column) => column.notNull())
    .addColumn('ended_version', integer)
    .execute();
  await db.schema
    .createIndex('files_current_path')
    .unique()
    .on('files')
    .columns(['dataset_id', 'path'])
    .where(sql.ref('ended_version'), 'is', null)
    .execute();
  await db.schema
    .createIndex('files_current_type')
    .on('files')
    .columns(['dataset_id', 'file_type', 'path'])
    .where(sql.ref('ended_version'), 'is', null)
    .execute();
  await db.schema
    .createIndex('files_current_parent')
    .on('files')
    .columns(['dataset_id', 'parent', 'path'])
    .where(sql.ref('ended_version'), 'is', null)
    .execute();
  // Nearly every row is COMPLETED and served by the path index; this index finds the few others.
  await db.schema
    .createIndex('files_current_unfinished')
    .on('files')
    .columns(['dataset_id', 'status', 'path'])
    .where(sql.ref('ended_version'), 'is', null)
    .where(sql.ref('status'), '!=', 'COMPLETED')
    .execute();
  await db.schema.createIndex('files_by_file').on('files').columns(['file_id', 'added_version']).execute();
  await db.schema
    .createIndex('files_ended_path')
    .on('files')
    .columns(['dataset_id', 'path'])
    .where(sql.ref('ended_version'), 'is not', null)
    .execute();

  await db.schema
    .createTable('directories')
    .addColumn('row_id', text, (column) => column.primaryKey())
    .addColumn('dataset_id', text, (column) => column.notNull())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('added_version', integer, (column) => column.notNull())
    .addColumn('ended_version', integer)
    .execute();
  await db.schema
    .createIndex('directories_current_path')
    .unique()
    .on('directories')
    .columns(['dataset_id', 'path'])
    .where(sql.ref('ended_version'), 'is', null)
    .execute();
  await db.schema.createIndex('directories_by_path').on('directories').columns(['dataset_id', 'path']).execute();

  await db.schema
    .createTable('folders')
    .addColumn('dataset_id', text, (column) => column.notNull())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('parent', text, (column) => column.notNull())
    .addColumn('name_key', text, (column) => column.notNull())
    .addColumn('file_count', integer, (column) => column.notNull())
    .addColumn('total_size_bytes', integer, (column) => column.notNull())
    .addColumn('directory_count', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('folders_key', ['dataset_id', 'path'])
    .execute();
  await db.schema.createIndex('folders_by_parent').on('folders').columns(['dataset_id', 'parent', 'path']).execute();

  await db.schema
    .createTable('file_buckets')
    .addColumn('dataset_id', text, (column) => column.notNull())
    .addColumn('level', integer, (column) => column.notNull())
    .addColumn('file_type', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('start_path', text, (column) => column.notNull())
    .addColumn('file_count', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('file_buckets_key', ['dataset_id', 'level', 'file_type', 'status', 'start_path'])
    .execute();
};
