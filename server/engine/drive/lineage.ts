import type { Tx } from '../../storage/database/database.ts';
import type { Counts, RunIngredients } from '../../runs/index.ts';
import type { LineageSourcesTable, LineageTable } from '../../storage/database/tables/engine.ts';
import { summarizeSteps, type StepSummary } from './ledger/ledger-reader.ts';
import { insertLineage, insertLineageSources } from './queries/lineage.ts';
import type { RecipeRun } from './recipe-run.ts';
import type { Recipe } from '../orders/shard.ts';

/** How a version of a dataset was made. */
export type Lineage = {
  runId: string;
  area: string;
  taskId: string;
  source: { datasetId: string; version: number };
  /** The other datasets that it read, if there are several, by id. */
  moreSources: { datasetId: string; version: number }[];
  target: { datasetId: string; version: number };
  /** Steps with the versions of their operators and complete parameters. */
  recipe: Recipe;
  /** The area's data about the run: which part of the source was read. */
  details: unknown;
  counts: Counts;
  steps: StepSummary[];
  createdBy: string;
  startedAt: string;
  finishedAt: string;
};

/** Records the lineage of a run's result, in the transaction that completes it. */
export async function recordLineage(
  tx: Tx,
  run: RecipeRun,
  { source, moreSources, target, finishedAt }: Pick<Lineage, 'source' | 'moreSources' | 'target' | 'finishedAt'>,
): Promise<void> {
  await insertLineage(tx, {
    run_id: run.id,
    area: run.area,
    task_id: run.taskId,
    source_dataset_id: source.datasetId,
    source_version: source.version,
    target_dataset_id: target.datasetId,
    target_version: target.version,
    recipe: JSON.stringify(run.recipe),
    details: JSON.stringify(run.areaDetails),
    counts: JSON.stringify(run.counts),
    steps: JSON.stringify(await summarizeSteps(tx, run)),
    created_by: run.createdBy,
    started_at: run.startedAt ?? finishedAt,
    finished_at: finishedAt,
  });
  await insertLineageSources(tx, run.id, moreSources);
}

/** What a run used besides datasets; areas store the task's name with their data. */
export function ingredientsOf({ areaDetails, recipe }: RecipeRun): RunIngredients {
  const { taskName = '' } = (areaDetails ?? {}) as { taskName?: string };
  return {
    taskName,
    steps: recipe.steps.map(({ operatorId, version, digest = null, params }) => {
      return { operatorId, version, digest, params };
    }),
  };
}

export function lineageOf(row: LineageTable, moreSources: readonly LineageSourcesTable[]): Lineage {
  return {
    runId: row.run_id,
    area: row.area,
    taskId: row.task_id,
    source: { datasetId: row.source_dataset_id, version: row.source_version },
    moreSources: moreSources
      .filter(({ run_id }) => run_id === row.run_id)
      .map(({ dataset_id: datasetId, version }) => ({ datasetId, version })),
    target: { datasetId: row.target_dataset_id, version: row.target_version },
    recipe: JSON.parse(row.recipe) as Recipe,
    details: JSON.parse(row.details),
    counts: JSON.parse(row.counts) as Counts,
    steps: JSON.parse(row.steps) as StepSummary[],
    createdBy: row.created_by,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
