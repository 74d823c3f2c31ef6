import type { OnError, Step } from '../../engine/index.ts';
import type { NewTask, TaskInput } from './schemas.ts';
import { conditionsOf, rulesOf } from './task-input.ts';

/** What a cleaning task does, as its row keeps it. */
export type CleaningDefinition = {
  sourceDatasetId: string;
  /** As it was when the task was made, for when the dataset is gone. */
  sourceDatasetName: string;
  /** Null: the version that is current when a run starts. */
  sourceVersion: number | null;
  /** Null until the first run has made the dataset. */
  targetDatasetId: string | null;
  targetDatasetName: string;
  /** Whether the dataset belongs to the task: each run replaces all of its content. */
  ownsTarget: boolean;
  /** With pinned operator versions and complete parameters. */
  steps: Step[];
  input: TaskInput;
  onError: OnError;
};

/** A definition in the form that it is given in. */
export function givenOf(definition: CleaningDefinition): Omit<NewTask, 'name'> {
  const { prefix, fileTypes, textField, encoding } = definition.input;
  const textFields = rulesOf(definition.input);
  const where = conditionsOf(definition.input);
  return {
    sourceDatasetId: definition.sourceDatasetId,
    ...(definition.sourceVersion === null ? {} : { sourceVersion: definition.sourceVersion }),
    ...(!definition.ownsTarget && definition.targetDatasetId !== null
      ? { targetDatasetId: definition.targetDatasetId }
      : { targetDatasetName: definition.targetDatasetName }),
    steps: definition.steps,
    input: {
      prefix,
      fileTypes,
      ...(textField === null ? {} : { textField }),
      ...(textFields.length === 0 ? {} : { textFields }),
      ...(where.length === 0 ? {} : { where }),
      // Tasks of earlier versions have none.
      ...(encoding === null || encoding === undefined ? {} : { encoding }),
    },
    onError: definition.onError,
  };
}
