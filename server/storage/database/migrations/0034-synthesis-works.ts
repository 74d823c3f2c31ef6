import type { MigrationStep } from './migration-step.ts';

/** Samples and records of synthesis runs, and what people decided about records. */
export const createSynthesisWorks: MigrationStep = async (db, { text, integer, real }) => {
  await db.schema
    .createTable('synthesis_works')
    .addColumn('work_id', text, (column) => column.primaryKey())
    .addColumn('task_id', text, (column) => column.notNull())
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('model_id', text, (column) => column.notNull())
    .addColumn('template_type', text, (column) => column.notNull())
    .addColumn('samples', integer, (column) => column.notNull())
    .addColumn('is_read', integer, (column) => column.notNull())
    .addColumn('retried_by', text)
    .addColumn('forecast', text)
    .addColumn('spent_ms', integer, (column) => column.notNull())
    .addColumn('exported_version', integer)
    .addColumn('created_at', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('synthesis_works_by_run').on('synthesis_works').columns(['run_id']).execute();
  await db.schema
    .createIndex('synthesis_works_by_model')
    .on('synthesis_works')
    .columns(['model_id', 'template_type', 'created_at'])
    .execute();

  await db.schema
    .createTable('synthesis_samples')
    .addColumn('work_id', text, (column) => column.notNull())
    .addColumn('sample_no', integer, (column) => column.notNull())
    .addColumn('file_id', text, (column) => column.notNull())
    .addColumn('file_path', text, (column) => column.notNull())
    .addColumn('row_no', integer)
    .addColumn('start_at', integer)
    .addColumn('end_at', integer)
    .addColumn('text', text)
    .addColumn('fields', text)
    .addColumn('problem', text)
    .addColumn('sample_key', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('synthesis_samples_key', ['work_id', 'sample_no'])
    .execute();

  await db.schema
    .createTable('synthesis_records')
    .addColumn('work_id', text, (column) => column.notNull())
    .addColumn('record_no', integer, (column) => column.notNull())
    .addColumn('sample_no', integer, (column) => column.notNull())
    .addColumn('turn_no', integer, (column) => column.notNull())
    .addColumn('record_id', text, (column) => column.notNull())
    .addColumn('sequence', integer, (column) => column.notNull())
    .addColumn('verdict', text, (column) => column.notNull())
    .addColumn('reason', text)
    .addColumn('reason_code', text)
    .addColumn('output', text)
    .addColumn('score', real)
    .addColumn('judgement', text)
    .addColumn('calls', integer, (column) => column.notNull())
    .addColumn('input_tokens', integer, (column) => column.notNull())
    .addColumn('output_tokens', integer, (column) => column.notNull())
    .addColumn('cost_nano', integer)
    .addColumn('known', integer, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('synthesis_records_key', ['work_id', 'record_no'])
    .execute();
  await db.schema
    .createIndex('synthesis_records_by_id')
    .on('synthesis_records')
    .columns(['work_id', 'record_id'])
    .unique()
    .execute();
  await db.schema
    .createIndex('synthesis_records_by_verdict')
    .on('synthesis_records')
    .columns(['work_id', 'verdict', 'record_no'])
    .execute();

  await db.schema
    .createTable('synthesis_edits')
    .addColumn('task_id', text, (column) => column.notNull())
    .addColumn('record_id', text, (column) => column.notNull())
    .addColumn('output', text)
    .addColumn('review', text)
    .addColumn('review_reason', text)
    .addColumn('sequence', integer)
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('updated_by', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('synthesis_edits_key', ['task_id', 'record_id'])
    .execute();
};
