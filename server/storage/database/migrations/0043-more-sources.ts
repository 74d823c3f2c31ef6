import type { MigrationStep } from './migration-step.ts';

/** For runs that read several datasets: the dataset of each shard, and all of them in the lineage. */
export const addMoreSources: MigrationStep = async (db, { text, integer }) => {
  await db.schema.alterTable('shards').addColumn('source_dataset_id', text).execute();
  await db.schema
    .createTable('lineage_sources')
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('dataset_id', text, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('lineage_sources_key', ['run_id', 'dataset_id'])
    .execute();
  await db.schema.createIndex('lineage_sources_by_dataset').on('lineage_sources').column('dataset_id').execute();
};
