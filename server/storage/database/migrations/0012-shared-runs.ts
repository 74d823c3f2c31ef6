import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Runs of any kind: engine-specific columns move into `details`, and a lease names the process that drives the run. */
export const shareRuns: MigrationStep = async (db, { text, integer }) => {
  const added = [
    ['kind', text, `''`],
    ['number', integer, '0'],
    ['phase', text, undefined],
    ['lease_place', text, undefined],
    ['lease_until', integer, undefined],
    ['bound_to', text, undefined],
    ['count_skipped', integer, '0'],
    ['failures', text, `'{}'`],
  ] as const;
  for (const [name, type, fallback] of added) {
    await db.schema
      .alterTable('runs')
      .addColumn(name, type, (column) =>
        fallback === undefined ? column : column.notNull().defaultTo(sql.raw(fallback)),
      )
      .execute();
  }
  // Concatenated as text, because PostgreSQL would reorder the JSON keys, and a resumed run is compared with the previous one.
  await sql`update runs set kind = area, details = '{"recipe":' || treatment || ',"details":' || details || '}'`.execute(
    db,
  );
  await sql`update runs set number = numbered.number
    from (select id, row_number() over (partition by task_id order by created_at, id) as number from runs) as numbered
    where numbered.id = runs.id`.execute(db);
  await db.schema.alterTable('runs').dropColumn('treatment').execute();
  await db.schema.alterTable('runs').renameColumn('bytes_total', 'work_total').execute();
  await db.schema.alterTable('runs').renameColumn('bytes_done', 'work_done').execute();
  await db.schema.alterTable('lineage').renameColumn('treatment', 'recipe').execute();
  // For the polling of every process, and for the list of all runs.
  await sql`create index runs_unfinished on runs (created_at, id) where status in ('QUEUED', 'RUNNING')`.execute(db);
  await db.schema.createIndex('runs_by_created').on('runs').columns(['created_at', 'id']).execute();
};
