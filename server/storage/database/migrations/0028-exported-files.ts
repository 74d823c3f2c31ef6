import type { MigrationStep } from './migration-step.ts';

/** The files of a result in the requested format, until the run has committed them. */
export const createExportedFiles: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('exported_files')
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('file_no', integer, (column) => column.notNull())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('blob_id', text, (column) => column.notNull())
    .addColumn('size_bytes', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('exported_files_key', ['run_id', 'file_no'])
    .execute();
};
