import type { OnError, Step } from '../../engine/index.ts';
import type { MoreSource, NewTask, TaskInput, TaskOutput } from './schemas/tasks.ts';
import { conditionsOf, rulesOf, selectionOf } from './task-input.ts';

/** The stored definition of a cleaning task. */
export type CleaningDefinition = {
  sourceDatasetId: string;
  /** The name at the time the task was created; shown if the dataset is deleted. */
  sourceDatasetName: string;
  /** Null: the current version at the start of each run. */
  sourceVersion: number | null;
  /** Both are set only if there are several sources. */
  sourceFolder?: string;
  moreSources?: MoreSource[];
  /** Null until the first run has created the dataset. */
  targetDatasetId: string | null;
  targetDatasetName: string;
  /** Whether the task owns the dataset: each run replaces all of its content. */
  ownsTarget: boolean;
  /** With pinned operator versions and complete parameters. */
  steps: Step[];
  input: TaskInput;
  onError: OnError;
  /** Missing in tasks of earlier releases. */
  output?: Omit<TaskOutput, 'folderBy'> & Partial<TaskOutput>;
};

/** The folder of the target reserved for results of runs over failed samples. */
export function reprocessedFolder({
  id,
  definition,
}: {
  id: string;
  definition: Pick<CleaningDefinition, 'ownsTarget'>;
}): string {
  // Other tasks may write into a dataset that this task did not create.
  return definition.ownsTarget ? 'reprocessed' : `reprocessed-${id.slice(-8)}`;
}

/** How a task writes its result. */
export function outputOf({ output }: Pick<CleaningDefinition, 'output'>): TaskOutput {
  // Tasks of earlier releases have no folders.
  return { folderBy: null, ...(output ?? { format: 'SOURCE', shardBytes: null }) };
}

/** A stored definition in the form of a request. */
export function givenOf(definition: CleaningDefinition): Omit<NewTask, 'name'> {
  const { sourceFolder = '' } = definition;
  const { textField, encoding } = definition.input;
  const { format, shardBytes, folderBy } = outputOf(definition);
  const textFields = rulesOf(definition.input);
  const where = conditionsOf(definition.input);
  return {
    sourceDatasetId: definition.sourceDatasetId,
    ...(definition.sourceVersion === null ? {} : { sourceVersion: definition.sourceVersion }),
    ...(definition.moreSources === undefined
      ? {}
      : { sourceFolder, moreSources: definition.moreSources.map(givenSource) }),
    ...(!definition.ownsTarget && definition.targetDatasetId !== null
      ? { targetDatasetId: definition.targetDatasetId }
      : { targetDatasetName: definition.targetDatasetName }),
    steps: definition.steps,
    input: {
      ...selectionOf(definition.input),
      ...(textField === null ? {} : { textField }),
      ...(textFields.length === 0 ? {} : { textFields }),
      ...(where.length === 0 ? {} : { where }),
      // Tasks of earlier releases have none.
      ...(encoding === null || encoding === undefined ? {} : { encoding }),
    },
    onError: definition.onError,
    output: {
      format,
      ...(shardBytes === null ? {} : { shardBytes }),
      ...(folderBy === null ? {} : { folderBy }),
    },
  };
}

function givenSource({ datasetId, version, prefix, folder }: MoreSource): NonNullable<NewTask['moreSources']>[number] {
  return { datasetId, ...(version === null ? {} : { version }), prefix, folder };
}
