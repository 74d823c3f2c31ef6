import type { Tx } from '../../storage/database/database.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import type { StepOperators } from './step-operators.ts';
import type { StepReferences } from './references.ts';
import { planReprocessing } from './reprocessing.ts';
import { needNoText } from './text-columns.ts';
import { type Engine, recipeRunOf } from '../../engine/index.ts';
import { lockTargetOfTask, type RunOrigin, type RunPlan, type StoredTask } from '../../tasks/index.ts';
import { type CleaningDefinition, givenOf } from './definition.ts';
import type { CleaningDetails } from './jobs.ts';
import { sourcesIn, type NamedSource, type Source, countPurges, lockSources, nameSources } from './sources.ts';
import { namedEncoding, selectionOf, textFieldsOf } from './task-input.ts';
import { defaultShardBytes } from './task-output.ts';

/** Plans a run of a task: pins what it reads and describes its recipe; a resumed run keeps what the earlier one read. */
export async function planRun(
  {
    engine,
    datasets,
    catalogue,
    references,
  }: {
    engine: Pick<Engine, 'detailsOf' | 'hasSetAside'>;
    datasets: DatasetAccess;
    catalogue: StepOperators;
    references: StepReferences;
  },
  tx: Tx,
  { task, resumed, failedOf }: RunOrigin & { task: StoredTask<CleaningDefinition> },
): Promise<RunPlan<CleaningDefinition>> {
  const { definition } = task;
  const targetDatasetId = (await lockTargetOfTask(tx, datasets, definition))?.id ?? null;
  const given = givenOf(definition);
  const sources = await nameSources(await lockSources(tx, datasets, given), given, definition.input);
  const earlier = resumed === undefined ? undefined : (recipeRunOf(resumed).areaDetails as CleaningDetails);
  const earlierSteps = resumed === undefined ? undefined : recipeRunOf(resumed).recipe.steps;
  const pinned = await references.pin(tx, definition.steps, earlierSteps);
  const known = { ...task, definition: { ...definition, targetDatasetId } };
  const details = {
    ...detailsOf(task, pinSources(sources, earlier)),
    ...(earlier?.reprocesses === undefined ? {} : takenOver(earlier)),
    ...(failedOf === undefined ? {} : await planReprocessing(tx, { engine, task: known }, failedOf)),
  };
  const mayLackText = needNoText(await catalogue.operatorsFor(pinned.steps), pinned.steps);
  const read = sourcesIn(details);
  const ids = [...read, ...pinned.datasets].map(({ datasetId }) => datasetId);
  const purges = earlier === undefined ? await countPurges(tx, datasets, ids) : earlier.purges;
  // Shards are planned and read one at a time, possibly over days, and must all see the same files.
  for (const { datasetId, version } of read) await datasets.commit.closeVersion(tx, datasetId, version);
  return {
    definition: known.definition,
    details: engine.detailsOf(recipeOf({ ...definition, steps: pinned.steps }, mayLackText), {
      ...details,
      ...(purges === undefined ? {} : { purges }),
    }),
    datasets: [
      ...read.map(({ datasetId, version }) => ({ datasetId, role: 'SOURCE' as const, version })),
      ...(targetDatasetId === null ? [] : [{ datasetId: targetDatasetId, role: 'TARGET' as const, version: null }]),
      ...pinned.datasets,
    ],
  };
}

function recipeOf(definition: CleaningDefinition, mayLackText: boolean): Parameters<Engine['detailsOf']>[0] {
  const { steps, onError, input } = definition;
  const { format, shardBytes, folderBy } = definition.output;
  const folders = folderBy === null ? {} : { folderBy };
  const output =
    format === 'SOURCE' ? {} : { output: { format, shardBytes: shardBytes ?? defaultShardBytes, ...folders } };
  const lack = mayLackText ? { mayLackText } : {};
  return { steps, onError, ...textFieldsOf(input), ...lack, encoding: namedEncoding(input), ...output };
}

function detailsOf(
  { name, definition }: StoredTask<CleaningDefinition>,
  [main, ...moreSources]: readonly [Source, ...Source[]],
): CleaningDetails {
  return {
    sourceDatasetId: main.datasetId,
    sourceVersion: main.version,
    input: selectionOf(definition.input),
    taskName: name,
    ...(moreSources.length === 0 ? {} : { sourceFolder: main.folder, moreSources }),
  };
}

/** The versions that a run reads; a resumed run keeps those of the `earlier` one. */
function pinSources(
  sources: readonly [NamedSource, ...NamedSource[]],
  earlier: CleaningDetails | undefined,
): [Source, ...Source[]] {
  const before = earlier === undefined ? [] : sourcesIn(earlier);
  const pin = ({ head, version, ...source }: NamedSource): Source => {
    const read = before.find(({ datasetId }) => datasetId === source.datasetId)?.version;
    return { ...source, version: version ?? read ?? head.version };
  };
  const [main, ...others] = sources;
  return [pin(main), ...others.map(pin)];
}

/** The settings that a resumed run over failed samples keeps. */
function takenOver({
  sourceVersion,
  sourceFolder,
  moreSources,
  input,
  reprocesses,
}: CleaningDetails): Partial<CleaningDetails> {
  const more = sourceFolder === undefined || moreSources === undefined ? {} : { sourceFolder, moreSources };
  return { sourceVersion, ...more, input, ...(reprocesses === undefined ? {} : { reprocesses }) };
}

/** The settings that determine whether finished shards of an earlier run can be reused. */
export function workOf(stored: unknown): unknown {
  const { recipe, details } = stored as { recipe: unknown; details: CleaningDetails };
  const { taskName: _taskName, ...work } = details;
  return { recipe, work };
}
