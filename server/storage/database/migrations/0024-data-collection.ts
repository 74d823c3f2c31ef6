import type { MigrationStep } from './migration-step.ts';

/** Items and state of collection; files record where they were collected. */
export const createDataCollection: MigrationStep = async (db, { text, integer }) => {
  await db.schema.alterTable('files').addColumn('origin', text).execute();

  await db.schema
    .createTable('collection_items')
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('item_no', integer, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('search_text', text, (column) => column.notNull())
    .addColumn('item_key', text)
    .addColumn('verdict', text, (column) => column.notNull())
    .addColumn('reason', text)
    .addColumn('path', text)
    .addColumn('inputs', integer, (column) => column.notNull())
    .addColumn('size_bytes', integer)
    .addColumn('fetched_at', text, (column) => column.notNull())
    .addColumn('evidence', text)
    .addColumn('stamp', text)
    .addColumn('set_key', text)
    .addColumn('position', text)
    .addColumn('staged_blob_id', text)
    .addPrimaryKeyConstraint('collection_items_key', ['run_id', 'item_no'])
    .execute();
  await db.schema
    .createIndex('collection_items_by_verdict')
    .on('collection_items')
    .columns(['run_id', 'verdict', 'item_no'])
    .execute();
  await db.schema
    .createIndex('collection_items_by_key')
    .on('collection_items')
    .columns(['run_id', 'item_key'])
    .execute();

  await db.schema
    .createTable('collection_runs')
    .addColumn('run_id', text, (column) => column.primaryKey())
    .addColumn('cursor', text)
    .addColumn('next_item_no', integer, (column) => column.notNull())
    .addColumn('landed_version', integer)
    .execute();

  await db.schema
    .createTable('collection_states')
    .addColumn('task_id', text, (column) => column.notNull())
    .addColumn('item_key', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('path_key', text, (column) => column.notNull())
    .addColumn('stamp', text)
    .addColumn('blob_id', text)
    .addColumn('size_bytes', integer, (column) => column.notNull())
    .addColumn('position', text)
    .addColumn('parts', integer, (column) => column.notNull())
    .addColumn('fetched_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('collection_states_key', ['task_id', 'item_key'])
    .execute();
  await db.schema
    .createIndex('collection_states_by_path')
    .on('collection_states')
    .columns(['task_id', 'path_key'])
    .execute();
};
