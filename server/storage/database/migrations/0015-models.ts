import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Models, the ledger of their calls, their usage, and the call slots of each process. */
export const createModels: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('models')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('provider', text, (column) => column.notNull())
    .addColumn('base_url', text)
    .addColumn('model', text, (column) => column.notNull())
    .addColumn('prices', text)
    .addColumn('limits', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('updated_by', text, (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('model_calls')
    .addColumn('key', text, (column) => column.primaryKey())
    .addColumn('model_id', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('owner', text, (column) => column.notNull())
    .addColumn('run_id', text)
    .addColumn('sample_id', text)
    .addColumn('sequence', integer, (column) => column.notNull())
    .addColumn('request', text, (column) => column.notNull())
    .addColumn('response', text)
    .addColumn('cause', text)
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('input_tokens', integer, (column) => column.notNull())
    .addColumn('output_tokens', integer, (column) => column.notNull())
    .addColumn('cost_nano', integer, (column) => column.notNull())
    .addColumn('duration_ms', integer, (column) => column.notNull())
    .addColumn('reserved', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('finished_at', text)
    .execute();
  await sql`create index model_calls_pending on model_calls (owner) where status = 'PENDING'`.execute(db);
  await sql`create index model_calls_by_run on model_calls (run_id, sample_id) where run_id is not null`.execute(db);

  await db.schema
    .createTable('model_usage')
    .addColumn('model_id', text, (column) => column.notNull())
    .addColumn('day', text, (column) => column.notNull())
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('calls', integer, (column) => column.notNull())
    .addColumn('input_tokens', integer, (column) => column.notNull())
    .addColumn('output_tokens', integer, (column) => column.notNull())
    .addColumn('cost_nano', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('model_usage_key', ['model_id', 'day', 'run_id'])
    .execute();
};
