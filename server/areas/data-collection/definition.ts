import type { ConflictPolicy, DatasetTypeCode } from '../data-management/index.ts';
import type { NewCollectionTask } from './schemas/tasks.ts';

/** The stored definition of a collection task. */
export type CollectionDefinition = {
  /** The configuration without secrets, and which of them are stored. */
  connector: { type: string; config: Readonly<Record<string, unknown>>; storedSecrets: readonly string[] };
  /** Null until the first run has created the dataset. */
  targetDatasetId: string | null;
  targetDatasetName: string;
  targetDatasetType: DatasetTypeCode;
  /** Whether the task creates its dataset. */
  ownsTarget: boolean;
  prefix: string;
  onConflict: ConflictPolicy;
  syncMode: 'ONCE' | 'SCHEDULED';
  incremental: boolean;
};

/** The stored details of a run. */
export type CollectionDetails = Pick<CollectionDefinition, 'connector' | 'prefix' | 'onConflict' | 'incremental'> & {
  fromStart: boolean;
  taskName: string;
};

/** Owner of the secrets of a task. */
export const secretKind = 'collection-task';

/** A stored definition in the form of a request. */
export function givenOf(definition: CollectionDefinition): Omit<NewCollectionTask, 'name'> {
  const { connector, ownsTarget, targetDatasetId, targetDatasetName, targetDatasetType } = definition;
  const { prefix, onConflict, syncMode, incremental } = definition;
  return {
    connector: { type: connector.type, config: connector.config },
    ...(!ownsTarget && targetDatasetId !== null ? { targetDatasetId } : { targetDatasetName, targetDatasetType }),
    prefix,
    onConflict,
    syncMode,
    incremental,
  };
}
