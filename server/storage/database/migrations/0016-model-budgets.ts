import type { MigrationStep } from './migration-step.ts';

/** Budgets of model calls, which processes share. */
export const createModelBudgets: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('model_budgets')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('used_calls', integer, (column) => column.notNull().defaultTo(0))
    .addColumn('used_tokens', integer, (column) => column.notNull().defaultTo(0))
    .addColumn('used_cost', integer, (column) => column.notNull().defaultTo(0))
    .addColumn('reserved_calls', integer, (column) => column.notNull().defaultTo(0))
    .addColumn('reserved_tokens', integer, (column) => column.notNull().defaultTo(0))
    .addColumn('reserved_cost', integer, (column) => column.notNull().defaultTo(0))
    .execute();

  await db.schema
    .createTable('model_processes')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('model_slots')
    .addColumn('model_id', text, (column) => column.notNull())
    .addColumn('process_id', text, (column) => column.notNull())
    .addColumn('held', integer, (column) => column.notNull())
    .addColumn('wanted', integer, (column) => column.notNull())
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('paused_until', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('model_slots_key', ['model_id', 'process_id'])
    .execute();
};
