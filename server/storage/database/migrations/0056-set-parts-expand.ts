import type { MigrationStep } from './migration-step.ts';

/** Files that a step over a large set keeps while it is compared in partitions. */
export const createSetParts: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('set_parts')
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('step', integer, (column) => column.notNull())
    .addColumn('stage', text, (column) => column.notNull())
    .addColumn('part_no', integer, (column) => column.notNull())
    .addColumn('blob_id', text, (column) => column.notNull())
    .addColumn('facts', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('set_parts_key', ['run_id', 'step', 'stage', 'part_no'])
    .execute();
};
