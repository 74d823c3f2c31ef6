import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

export const createCleaningTemplates: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('cleaning_templates')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('name_key', text, (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('search_text', text, (column) => column.notNull())
    .addColumn('steps', text, (column) => column.notNull())
    .addColumn('built_in', integer, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('updated_by', text, (column) => column.notNull())
    .execute();
  // Names of user templates are unique; a built-in one added by a later release must not collide with them.
  await sql`create unique index cleaning_templates_name on cleaning_templates (name_key) where built_in = 0`.execute(
    db,
  );
};
