import type { OnError, Step } from '../../engine/index.ts';
import type { NewTask, TaskOutput } from './schemas/tasks.ts';
import { readInput, selectionOf, type StoredInput } from './task-input.ts';
import type { MoreSource } from './schemas/sources.ts';
import type { TaskInput } from './schemas/inputs.ts';

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
  output: TaskOutput;
};

/** A definition as any release has stored it. */
type StoredDefinition = Omit<CleaningDefinition, 'input' | 'output'> & {
  input: StoredInput;
  output?: Omit<TaskOutput, 'folderBy'> & Partial<TaskOutput>;
};

/** Adds the fields that the release lacked which stored the definition. */
export function readDefinition(stored: unknown): CleaningDefinition {
  const { input, output, ...others } = stored as StoredDefinition;
  return {
    ...others,
    input: readInput(input),
    output: { folderBy: null, ...(output ?? { format: 'SOURCE', shardBytes: null }) },
  };
}

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

/** A stored definition in the form of a request. */
export function givenOf(definition: CleaningDefinition): Omit<NewTask, 'name'> {
  const { sourceFolder = '' } = definition;
  const { textField, textFields, where, encoding } = definition.input;
  const { format, shardBytes, folderBy } = definition.output;
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
      ...(encoding === null ? {} : { encoding }),
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
