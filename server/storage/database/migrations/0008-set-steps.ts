import type { MigrationStep } from './migration-step.ts';

/** State that set steps keep between their passes, and the lineage of finished runs. */
export const createSetSteps: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('shard_signatures')
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('step', integer, (column) => column.notNull())
    .addColumn('shard_no', integer, (column) => column.notNull())
    .addColumn('blob_id', text, (column) => column.notNull())
    .addColumn('samples', integer, (column) => column.notNull())
    .addColumn('poison', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('shard_signatures_key', ['run_id', 'step', 'shard_no'])
    .execute();

  await db.schema
    .createTable('set_verdicts')
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('step', integer, (column) => column.notNull())
    .addColumn('blob_id', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('set_verdicts_key', ['run_id', 'step'])
    .execute();

  await db.schema
    .createTable('lineage')
    .addColumn('run_id', text, (column) => column.primaryKey())
    .addColumn('area', text, (column) => column.notNull())
    .addColumn('task_id', text, (column) => column.notNull())
    .addColumn('source_dataset_id', text, (column) => column.notNull())
    .addColumn('source_version', integer, (column) => column.notNull())
    .addColumn('target_dataset_id', text, (column) => column.notNull())
    .addColumn('target_version', integer, (column) => column.notNull())
    .addColumn('treatment', text, (column) => column.notNull())
    .addColumn('details', text, (column) => column.notNull())
    .addColumn('counts', text, (column) => column.notNull())
    .addColumn('steps', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('started_at', text, (column) => column.notNull())
    .addColumn('finished_at', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('lineage_by_target')
    .on('lineage')
    .columns(['target_dataset_id', 'target_version'])
    .execute();
  await db.schema
    .createIndex('lineage_by_source')
    .on('lineage')
    .columns(['source_dataset_id', 'source_version'])
    .execute();
};
