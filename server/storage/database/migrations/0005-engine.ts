import { sql, type CreateTableBuilder } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

export const createEngine: MigrationStep = async (db, { text, integer }) => {
  const withCounts = <T extends string>(table: CreateTableBuilder<T>): CreateTableBuilder<T> => {
    let builder = table;
    for (const count of ['in', 'kept', 'changed', 'dropped', 'failed', 'emitted'])
      builder = builder.addColumn(`count_${count}`, integer, (column) => column.notNull().defaultTo(0));
    return builder;
  };

  await withCounts(
    db.schema
      .createTable('runs')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('area', text, (column) => column.notNull())
      .addColumn('task_id', text, (column) => column.notNull())
      .addColumn('status', text, (column) => column.notNull())
      .addColumn('treatment', text, (column) => column.notNull())
      .addColumn('details', text, (column) => column.notNull())
      .addColumn('created_at', text, (column) => column.notNull())
      .addColumn('created_by', text, (column) => column.notNull())
      .addColumn('started_at', text)
      .addColumn('finished_at', text)
      .addColumn('error', text)
      .addColumn('resumed_from', text)
      .addColumn('epoch', integer, (column) => column.notNull())
      .addColumn('planned', integer, (column) => column.notNull())
      .addColumn('bytes_total', integer, (column) => column.notNull())
      .addColumn('bytes_done', integer, (column) => column.notNull()),
  ).execute();
  await db.schema.createIndex('runs_by_task').on('runs').columns(['task_id', 'created_at', 'id']).execute();
  // Two concurrent executes create only one run: this index refuses the second row.
  await sql`create unique index runs_active on runs (task_id) where status in ('QUEUED', 'RUNNING')`.execute(db);

  await db.schema
    .createTable('run_datasets')
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('dataset_id', text, (column) => column.notNull())
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('version', integer)
    .addPrimaryKeyConstraint('run_datasets_key', ['run_id', 'role', 'dataset_id'])
    .execute();
  await db.schema.createIndex('run_datasets_by_dataset').on('run_datasets').column('dataset_id').execute();

  await withCounts(
    db.schema
      .createTable('shards')
      .addColumn('run_id', text, (column) => column.notNull())
      .addColumn('shard_no', integer, (column) => column.notNull())
      .addColumn('status', text, (column) => column.notNull())
      .addColumn('pieces', text, (column) => column.notNull())
      .addColumn('file_part', integer, (column) => column.notNull())
      .addColumn('file_parts', integer, (column) => column.notNull())
      .addColumn('joined', integer, (column) => column.notNull())
      .addColumn('bytes', integer, (column) => column.notNull())
      .addColumn('outputs', text)
      .addColumn('first_row', integer, (column) => column.notNull())
      .addColumn('figures', text)
      .addColumn('ledger_blob_id', text)
      .addColumn('ledger_lines', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('shards_key', ['run_id', 'shard_no']),
  ).execute();
  await db.schema
    .createIndex('shards_pending')
    .on('shards')
    .columns(['run_id', 'shard_no'])
    .where(sql.ref('status'), '=', 'PENDING')
    .execute();

  await db.schema
    .createTable('run_logs')
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('seq', integer, (column) => column.notNull())
    .addColumn('time', text, (column) => column.notNull())
    .addColumn('level', text, (column) => column.notNull())
    .addColumn('message', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('run_logs_key', ['run_id', 'seq'])
    .execute();
};
