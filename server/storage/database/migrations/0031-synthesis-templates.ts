import type { MigrationStep } from './migration-step.ts';

/** Instruction templates and their versions. */
export const createSynthesisTemplates: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('synthesis_templates')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('name_key', text, (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('search_text', text, (column) => column.notNull())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('definition', text, (column) => column.notNull())
    .addColumn('built_in', integer, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('updated_by', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('synthesis_templates_by_name')
    .on('synthesis_templates')
    .columns(['name_key'])
    .unique()
    .execute();
  await db.schema
    .createTable('synthesis_template_versions')
    .addColumn('template_id', text, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('definition', text, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('synthesis_template_versions_key', ['template_id', 'version'])
    .execute();
};
