import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** One table for the tasks of all areas; cleaning tasks move there. */
export const createTasks: MigrationStep = async (db, { dialect, text }) => {
  await db.schema
    .createTable('tasks')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('area', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('name_key', text, (column) => column.notNull())
    .addColumn('search_text', text, (column) => column.notNull())
    .addColumn('definition', text, (column) => column.notNull())
    .addColumn('schedule_cron', text)
    .addColumn('schedule_timezone', text)
    .addColumn('schedule_by', text)
    .addColumn('next_run_at', text)
    .addColumn('schedule_note', text)
    .addColumn('last_run_id', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('updated_by', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('tasks_by_created').on('tasks').columns(['area', 'created_at', 'id']).execute();
  await sql`create index tasks_by_next_run on tasks (next_run_at) where next_run_at is not null`.execute(db);
  await db.schema
    .createTable('task_links')
    .addColumn('task_id', text, (column) => column.notNull())
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('ref', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('task_links_key', ['task_id', 'role', 'ref'])
    .execute();
  await db.schema.createIndex('task_links_by_ref').on('task_links').columns(['role', 'ref']).execute();

  // For finding expired runs.
  await db.schema.createIndex('runs_by_finished').on('runs').column('finished_at').execute();

  const fields = sql`'sourceDatasetId', source_dataset_id, 'sourceDatasetName', source_dataset_name, 'sourceVersion', source_version,
    'targetDatasetId', target_dataset_id, 'targetDatasetName', target_dataset_name, 'onError', on_error`;
  const definition =
    dialect === 'postgres'
      ? sql`json_build_object(${fields}, 'ownsTarget', owns_target = 1, 'steps', steps::json, 'input', input::json)::text`
      : sql`json_object(${fields}, 'ownsTarget', json(iif(owns_target = 1, 'true', 'false')), 'steps', json(steps), 'input', json(input))`;
  await sql`insert into tasks (id, area, name, description, name_key, search_text, definition, last_run_id,
      created_at, created_by, updated_at, updated_by)
    select id, 'data-cleaning', name, description, name_key, search_text, ${definition}, last_run_id,
      created_at, created_by, updated_at, updated_by from cleaning_tasks`.execute(db);
  const operators =
    dialect === 'postgres'
      ? sql`select cleaning_tasks.id, step ->> 'operatorId' as ref from cleaning_tasks, json_array_elements(steps::json) as step`
      : sql`select cleaning_tasks.id, value ->> 'operatorId' as ref from cleaning_tasks, json_each(steps)`;
  await sql`insert into task_links (task_id, role, ref) select distinct id, 'OPERATOR', ref from (${operators}) as used`.execute(
    db,
  );
  await db.schema.dropTable('cleaning_tasks').execute();
};
