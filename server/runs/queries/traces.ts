import { sql } from 'kysely';
import type { Db, Tx } from '../../storage/database/database.ts';
import { keysTable, rowsTable } from '../../storage/database/sql.ts';
import type {
  RunsTable,
  RunTraceDatasetsTable,
  RunTracesTable,
  RunTraceToolsTable,
} from '../../storage/database/tables/runs.ts';

export async function insertTrace(
  tx: Tx,
  row: RunTracesTable,
  datasets: readonly RunTraceDatasetsTable[],
  tools: readonly Omit<RunTraceToolsTable, 'run_id'>[],
): Promise<void> {
  await tx.insertInto('run_traces').values(row).execute();
  await tx
    .insertInto('run_trace_datasets')
    .values([...datasets])
    .execute();
  if (tools.length === 0) return;
  await tx
    .insertInto('run_trace_tools')
    .values(tools.map((tool) => ({ ...tool, run_id: row.run_id })))
    .execute();
}

/** Versions of a dataset; an omitted bound is unlimited. */
export type VersionSpan = { datasetId: string; from?: number | undefined; to?: number | undefined };

/** The latest runs that wrote (`out`) or read (`in`) versions within the spans, newest first. */
export async function listTraces(
  db: Db,
  end: 'in' | 'out',
  spans: readonly VersionSpan[],
  limit: number,
): Promise<RunTracesTable[]> {
  const rows = rowsTable(
    db,
    { dataset: 'text', low: 'integer', high: 'integer' },
    spans.map(({ datasetId, from, to }) => ({ dataset: datasetId, low: from ?? null, high: to ?? null })),
    'spans',
  );
  const roles = end === 'out' ? sql`role = 'TARGET'` : sql`role in ('SOURCE', 'REFERENCE')`;
  const found = await sql<RunTracesTable>`select * from run_traces where run_id in (
      select run_id from run_trace_datasets join ${rows} on spans.dataset = run_trace_datasets.dataset_id
      where ${roles} and version >= coalesce(spans.low, 0) and version <= coalesce(spans.high, version))
    order by finished_at desc, run_id desc limit ${limit}`.execute(db);
  return found.rows;
}

/** The traces of these runs. */
export async function listTracesOf(db: Db, runIds: readonly string[]): Promise<RunTracesTable[]> {
  if (runIds.length === 0) return [];
  return db
    .selectFrom('run_traces')
    .selectAll()
    .where(sql<boolean>`run_id in ${keysTable(db, runIds)}`)
    .execute();
}

/** Unfinished runs that read versions within the spans, or such a dataset without a pinned version; newest first. */
export async function listReading(db: Db, spans: readonly VersionSpan[], limit: number): Promise<RunsTable[]> {
  const rows = rowsTable(
    db,
    { dataset: 'text', low: 'integer', high: 'integer' },
    spans.map(({ datasetId, from, to }) => ({ dataset: datasetId, low: from ?? null, high: to ?? null })),
    'spans',
  );
  const found = await sql<RunsTable>`select * from runs where status in ('QUEUED', 'RUNNING') and id in (
      select run_id from run_datasets join ${rows} on spans.dataset = run_datasets.dataset_id
      where role in ('SOURCE', 'REFERENCE')
        and (version is null or version >= coalesce(spans.low, 0) and version <= coalesce(spans.high, version)))
    order by created_at desc, id desc limit ${limit}`.execute(db);
  return found.rows;
}

/** The latest runs that used an operator or a model, newest first. */
export async function listTracesWith(
  db: Db,
  kind: RunTraceToolsTable['kind'],
  refs: readonly string[],
  limit: number,
): Promise<RunTracesTable[]> {
  return db
    .selectFrom('run_traces')
    .innerJoin('run_trace_tools', 'run_trace_tools.run_id', 'run_traces.run_id')
    .selectAll('run_traces')
    .distinct()
    .where('kind', '=', kind)
    .where('ref', 'in', refs)
    .orderBy('finished_at', 'desc')
    .orderBy('run_traces.run_id', 'desc')
    .limit(limit)
    .execute();
}

export async function listTraceDatasets(db: Db, runIds: readonly string[]): Promise<RunTraceDatasetsTable[]> {
  if (runIds.length === 0) return [];
  return db
    .selectFrom('run_trace_datasets')
    .selectAll()
    .where(sql<boolean>`run_id in ${keysTable(db, runIds)}`)
    .orderBy('run_id')
    .orderBy('role')
    .orderBy('dataset_id')
    .execute();
}

/** The ids of those runs that are still stored. */
export async function listStoredRuns(db: Db, runIds: readonly string[]): Promise<string[]> {
  if (runIds.length === 0) return [];
  const rows = await db
    .selectFrom('runs')
    .select('id')
    .where(sql<boolean>`id in ${keysTable(db, runIds)}`)
    .execute();
  return rows.map(({ id }) => id);
}
