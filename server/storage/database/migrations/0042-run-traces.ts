import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

type OldRecipe = { steps?: readonly { operatorId: string; version: string; digest?: string; params?: unknown }[] };
type OldDetails = { taskName?: string };

const rowsAtOnce = 200;

/** What completed runs made from what; kept when the runs themselves are deleted. */
export const createRunTraces: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('run_traces')
    .addColumn('run_id', text, (column) => column.primaryKey())
    .addColumn('area', text, (column) => column.notNull())
    .addColumn('task_id', text, (column) => column.notNull())
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('ingredients', text, (column) => column.notNull())
    .addColumn('counts', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('started_at', text, (column) => column.notNull())
    .addColumn('finished_at', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('run_trace_datasets')
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('dataset_id', text, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('run_trace_datasets_key', ['run_id', 'role', 'dataset_id'])
    .execute();
  await db.schema
    .createIndex('run_trace_datasets_by_dataset')
    .on('run_trace_datasets')
    .columns(['dataset_id', 'role', 'run_id'])
    .execute();
  await db.schema
    .createIndex('rag_documents_by_dataset')
    .on('rag_documents')
    .columns(['dataset_id'])
    .where(sql.ref('dataset_id'), 'is not', null)
    .execute();

  // Copies what cleaning runs have recorded so far, in slices because there may be many rows.
  for (let after = ''; ;) {
    const rows = await db
      .selectFrom('lineage')
      .leftJoin('runs', 'runs.id', 'lineage.run_id')
      .select([
        'lineage.run_id as run_id',
        'lineage.area as area',
        'lineage.task_id as task_id',
        'lineage.recipe as recipe',
        'lineage.details as details',
        'lineage.counts as counts',
        'lineage.created_by as created_by',
        'lineage.started_at as started_at',
        'lineage.finished_at as finished_at',
        'lineage.source_dataset_id as source_dataset_id',
        'lineage.source_version as source_version',
        'lineage.target_dataset_id as target_dataset_id',
        'lineage.target_version as target_version',
        'runs.number as number',
      ])
      .where('lineage.run_id', '>', after)
      .orderBy('lineage.run_id')
      .limit(rowsAtOnce)
      .execute();
    for (const row of rows) {
      const { steps = [] } = JSON.parse(row.recipe as string) as OldRecipe;
      const { taskName = '' } = (JSON.parse(row.details as string) ?? {}) as OldDetails;
      await db
        .insertInto('run_traces')
        .values({
          run_id: row.run_id,
          area: row.area,
          task_id: row.task_id,
          number: row.number ?? 0,
          ingredients: JSON.stringify({
            taskName,
            steps: steps.map(({ operatorId, version, digest = null, params = {} }) => {
              return { operatorId, version, digest, params };
            }),
          }),
          counts: row.counts,
          created_by: row.created_by,
          started_at: row.started_at,
          finished_at: row.finished_at,
        })
        .execute();
      const links = [
        { role: 'SOURCE', dataset_id: row.source_dataset_id, version: row.source_version },
        { role: 'TARGET', dataset_id: row.target_dataset_id, version: row.target_version },
      ];
      await db
        .insertInto('run_trace_datasets')
        .values(links.map((link) => ({ run_id: row.run_id, ...link })))
        .execute();
    }
    const last = rows.at(-1)?.run_id as string | undefined;
    if (last === undefined) break;
    after = last;
  }
  await sql`insert into run_trace_datasets (run_id, role, dataset_id, version)
    select run_datasets.run_id, role, dataset_id, version from run_datasets
    join run_traces on run_traces.run_id = run_datasets.run_id
    where role = 'REFERENCE' and version is not null`.execute(db);
};
