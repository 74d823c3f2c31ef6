import type { Tx } from '../storage/database/database.ts';
import type { LineageTable, RunsTable } from '../storage/database/tables/engine.ts';
import { summarizeSteps, type StepSummary } from './ledger/ledger-reader.ts';
import { findRunSource, insertLineage } from './queries/lineage.ts';
import { countsOf, runOf } from './run.ts';
import type { Counts, Treatment } from './shards/shard.ts';

/** How a version of a dataset came about. */
export type Lineage = {
  runId: string;
  area: string;
  taskId: string;
  source: { datasetId: string; version: number };
  target: { datasetId: string; version: number };
  /** Steps with the versions of their operators and complete parameters. */
  treatment: Treatment;
  /** What the area stored with the run: what of the source was read. */
  details: unknown;
  counts: Counts;
  steps: StepSummary[];
  createdBy: string;
  startedAt: string;
  finishedAt: string;
};

/** Writes down where the result of a run came from, in the transaction that completes it. */
export async function recordLineage(
  tx: Tx,
  row: RunsTable,
  target: Lineage['target'],
  finishedAt: string,
): Promise<void> {
  const source = await findRunSource(tx, row.id);
  if (source === undefined || source.version === null) throw new Error(`Run ${row.id} has no source`);
  await insertLineage(tx, {
    run_id: row.id,
    area: row.area,
    task_id: row.task_id,
    source_dataset_id: source.dataset_id,
    source_version: source.version,
    target_dataset_id: target.datasetId,
    target_version: target.version,
    treatment: row.treatment,
    details: row.details,
    counts: JSON.stringify(countsOf(row)),
    steps: JSON.stringify(await summarizeSteps(tx, runOf(row))),
    created_by: row.created_by,
    started_at: row.started_at ?? finishedAt,
    finished_at: finishedAt,
  });
}

export function lineageOf(row: LineageTable): Lineage {
  return {
    runId: row.run_id,
    area: row.area,
    taskId: row.task_id,
    source: { datasetId: row.source_dataset_id, version: row.source_version },
    target: { datasetId: row.target_dataset_id, version: row.target_version },
    treatment: JSON.parse(row.treatment) as Treatment,
    details: JSON.parse(row.details),
    counts: JSON.parse(row.counts) as Counts,
    steps: JSON.parse(row.steps) as StepSummary[],
    createdBy: row.created_by,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
