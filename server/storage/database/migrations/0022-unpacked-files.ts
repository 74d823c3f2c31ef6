import type { MigrationStep } from './migration-step.ts';

/** The contents of compressed files, for as long as their run needs them. */
export const createUnpackedFiles: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('unpacked_files')
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('file_id', text, (column) => column.notNull())
    .addColumn('blob_id', text)
    .addColumn('size_bytes', integer, (column) => column.notNull())
    .addColumn('problem', text)
    .addColumn('is_damaged', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('unpacked_files_key', ['run_id', 'file_id'])
    .execute();
};
