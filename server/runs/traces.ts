import type { Db, Tx } from '../storage/database/database.ts';
import type { RunsTable, RunTracesTable, RunTraceToolsTable } from '../storage/database/tables/runs.ts';
import { noCounts, type Counts } from '../kernel/counts.ts';
import { countsOf } from './count-columns.ts';
import {
  insertTrace,
  listStoredRuns,
  listTraceDatasets,
  listTraces,
  listTracesOf,
  listTracesWith,
  type VersionSpan,
} from './queries/traces.ts';
import { listRunDatasets } from './queries/run-datasets.ts';

/** What a run used besides datasets, as reported by its kind. */
export type RunIngredients = {
  taskName: string;
  /** Operators with complete parameters, and the digests of published ones. */
  steps?: readonly {
    operatorId: string;
    version: string;
    digest: string | null;
    params: Readonly<Record<string, unknown>>;
  }[];
  /** Ids of models, or names of built-in ones. */
  models?: readonly string[];
  template?: { id: string; version: number };
  /** The type of the connector of a collection. */
  connector?: string;
  /** The SQL statement of a saved query, which is not a run. */
  sql?: string;
};

/** An operator or model that a run used, by which runs can be looked up. */
export type TraceTool = Omit<RunTraceToolsTable, 'run_id'>;

/** What a completed run read, used and wrote; it outlives the run and its task. */
export type RunTrace = {
  runId: string;
  /** Whether the run itself is still stored, with its log and ledger. */
  isStored: boolean;
  area: string;
  taskId: string;
  /** 0 if unknown. */
  number: number;
  ingredients: RunIngredients;
  counts: Counts;
  createdBy: string;
  startedAt: string;
  finishedAt: string;
  datasets: { datasetId: string; role: 'SOURCE' | 'TARGET' | 'REFERENCE'; version: number }[];
};

/** Records a run in the transaction that completes it, if it has written a version. */
export async function recordTrace(
  tx: Tx,
  row: RunsTable,
  ingredients: RunIngredients,
  finishedAt: string,
): Promise<void> {
  const datasets = (await listRunDatasets(tx, row.id)).flatMap(({ version, ...link }) =>
    version === null ? [] : [{ ...link, version }],
  );
  if (!datasets.some(({ role }) => role === 'TARGET')) return;
  await insertTrace(
    tx,
    {
      run_id: row.id,
      area: row.area,
      task_id: row.task_id,
      number: row.number,
      ingredients: JSON.stringify(ingredients),
      counts: JSON.stringify(countsOf(row)),
      created_by: row.created_by,
      started_at: row.started_at ?? finishedAt,
      finished_at: finishedAt,
    },
    datasets,
    toolsOf(ingredients),
  );
}

/** A query whose result became a version: not a run, but treated like one in lineage. */
export type SavedQuery = {
  id: string;
  datasetId: string;
  readVersion: number;
  version: number;
  sql: string;
  by: string;
  at: string;
};

/** Records a query in the transaction that saves its result. */
export async function recordQuery(tx: Tx, query: SavedQuery): Promise<void> {
  const { id, datasetId, readVersion, version, sql, by, at } = query;
  const ingredients: RunIngredients = { taskName: sql, sql };
  await insertTrace(
    tx,
    {
      run_id: id,
      area: 'data-management',
      task_id: datasetId,
      number: 0,
      ingredients: JSON.stringify(ingredients),
      counts: JSON.stringify(noCounts),
      created_by: by,
      started_at: at,
      finished_at: at,
    },
    [
      { run_id: id, role: 'SOURCE', dataset_id: datasetId, version: readVersion },
      { run_id: id, role: 'TARGET', dataset_id: datasetId, version },
    ],
    [],
  );
}

function toolsOf({ steps = [], models = [] }: RunIngredients): TraceTool[] {
  return [
    ...[...new Set(steps.map(({ operatorId }) => operatorId))].map((ref) => ({ kind: 'OPERATOR' as const, ref })),
    ...[...new Set(models)].map((ref) => ({ kind: 'MODEL' as const, ref })),
  ];
}

/** The latest runs that wrote (`out`) or read (`in`) versions within the spans, newest first. */
export async function listRunTraces(
  db: Db,
  end: 'in' | 'out',
  spans: readonly VersionSpan[],
  limit: number,
): Promise<RunTrace[]> {
  if (spans.length === 0 || limit <= 0) return [];
  return tracesOf(db, await listTraces(db, end, spans, limit));
}

/** The traces of these runs; runs that have not completed or wrote nothing have none. */
export async function findRunTraces(db: Db, runIds: readonly string[]): Promise<RunTrace[]> {
  return tracesOf(db, await listTracesOf(db, runIds));
}

/** The latest runs that used an operator or a model, by any of its names, newest first. */
export async function listTracesUsing(
  db: Db,
  kind: TraceTool['kind'],
  refs: readonly string[],
  limit: number,
): Promise<RunTrace[]> {
  return tracesOf(db, await listTracesWith(db, kind, refs, limit));
}

async function tracesOf(db: Db, rows: readonly RunTracesTable[]): Promise<RunTrace[]> {
  const ids = rows.map(({ run_id }) => run_id);
  const stored = new Set(await listStoredRuns(db, ids));
  const links = Map.groupBy(await listTraceDatasets(db, ids), ({ run_id }) => run_id);
  return rows.map((row) => ({
    runId: row.run_id,
    isStored: stored.has(row.run_id),
    area: row.area,
    taskId: row.task_id,
    number: row.number,
    ingredients: JSON.parse(row.ingredients) as RunIngredients,
    counts: JSON.parse(row.counts) as Counts,
    createdBy: row.created_by,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    datasets: (links.get(row.run_id) ?? []).map(({ dataset_id: datasetId, role, version }) => {
      return { datasetId, role, version };
    }),
  }));
}
