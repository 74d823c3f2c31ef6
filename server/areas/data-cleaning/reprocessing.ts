import { runSentences as said, type Reason } from '../../kernel/sentences/index.ts';
import { recipeRunOf, type Engine } from '../../engine/index.ts';
import type { Tx } from '../../storage/database/database.ts';
import { taskErrors, type RunOrigin, type StoredTask } from '../../tasks/index.ts';
import { reprocessedFolder, type CleaningDefinition } from './definition.ts';
import type { CleaningDetails } from './jobs.ts';

/**
 * Determines what a run over failed samples inherits from the run in which they failed, even if the task has changed
 * since: the version and the files that it reads. Throws FAILED_OF_REFUSED if its results would not complete the
 * target.
 */
export async function planReprocessing(
  tx: Tx,
  { engine, task }: { engine: Pick<Engine, 'hasSetAside'>; task: StoredTask<CleaningDefinition> },
  { run, datasets }: NonNullable<RunOrigin['failedOf']>,
): Promise<Pick<CleaningDetails, 'sourceVersion' | 'sourceFolder' | 'moreSources' | 'input' | 'reprocesses'>> {
  const { recipe, areaDetails } = recipeRunOf(run);
  const { sourceDatasetId, sourceVersion, sourceFolder, moreSources = [], input } = areaDetails as CleaningDetails;
  const { definition } = task;
  const refuse = (cause: Reason): Error => taskErrors.FAILED_OF_REFUSED({ id: run.id, cause });
  const ids = (sources: readonly { datasetId: string }[] = []): string =>
    sources.map(({ datasetId }) => datasetId).join();
  if (sourceDatasetId !== definition.sourceDatasetId || ids(moreSources) !== ids(definition.moreSources))
    throw refuse(said.FORMER_OTHER_SOURCE.reason({}));
  const target = datasets.find(({ role }) => role === 'TARGET');
  if (target === undefined || target.datasetId !== definition.targetDatasetId) {
    throw refuse(said.FORMER_OTHER_TARGET.reason({}));
  }
  if (recipe.onError === 'KEEP' && !(await engine.hasSetAside(tx, run))) {
    throw refuse(said.FORMER_KEPT.reason({}));
  }
  const folder = `${reprocessedFolder(task)}/run-${run.number}`;
  const more = sourceFolder === undefined ? {} : { sourceFolder, moreSources };
  return { sourceVersion, ...more, input, reprocesses: { runNumber: run.number, folder } };
}
