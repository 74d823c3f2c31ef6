import type { MigrationStep } from './migration-step.ts';

/** What runs record about the datasets that their steps compare with. */
export const createReferenceShards: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('reference_shards')
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('shard_no', integer, (column) => column.notNull())
    .addColumn('step', integer, (column) => column.notNull())
    .addColumn('reference', integer, (column) => column.notNull())
    .addColumn('pieces', text, (column) => column.notNull())
    .addColumn('file_part', integer, (column) => column.notNull())
    .addColumn('bytes', integer, (column) => column.notNull())
    .addColumn('blob_id', text)
    .addColumn('samples', integer, (column) => column.notNull())
    .addColumn('rows', integer, (column) => column.notNull())
    .addColumn('lines', integer, (column) => column.notNull())
    .addColumn('unread', integer, (column) => column.notNull())
    .addColumn('skipped', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('reference_shards_key', ['run_id', 'shard_no'])
    .execute();
};
