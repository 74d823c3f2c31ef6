import { type Static, type TObject, Type } from 'typebox';
import { IdSchema, nullable, oneOf, pageQuery } from '../../../http/schemas.ts';
import { newTaskSchema, taskChangesSchema, taskSchema } from '../../../tasks/schemas.ts';
import { NewSourceSchema, SourceSchema } from './connectors.ts';

const syncModes = ['ONCE', 'SCHEDULED'] as const;

const conflictPolicies = ['REPLACE', 'RENAME', 'ERROR'] as const;

const datasetTypes = ['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'MULTIMODAL'] as const;

/** Fields of a collection task beyond those of all tasks. */
const collectionFields = {
  connector: SourceSchema,
  targetDatasetId: nullable(Type.String({ description: 'Null until a run has created the dataset' })),
  targetDatasetName: Type.String(),
  targetDatasetType: oneOf('DatasetTypeOfTarget', datasetTypes),
  prefix: Type.String({ description: 'Folder of the dataset for collected files; empty: the root' }),
  onConflict: oneOf('CollectionConflictPolicy', conflictPolicies),
  syncMode: oneOf('SyncMode', syncModes),
  incremental: Type.Boolean({ description: 'Whether runs fetch only what has changed since the previous run' }),
};

export type CollectionFields = Static<TObject<typeof collectionFields>>;

export const CollectionTaskSchema = taskSchema('CollectionTask', collectionFields);

const newFields = {
  connector: NewSourceSchema,
  targetDatasetId: Type.Optional(IdSchema),
  targetDatasetName: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Name of a new dataset; default: the name of the task' }),
  ),
  targetDatasetType: Type.Optional(
    oneOf('DatasetTypeOfTarget', datasetTypes, { description: 'Type of a new dataset; default: TEXT' }),
  ),
  prefix: Type.Optional(Type.String({ maxLength: 4096 })),
  onConflict: Type.Optional(
    oneOf('CollectionConflictPolicy', conflictPolicies, {
      description:
        'If a path is already used by a file that this task did not collect: replace the file (default; older versions keep it), use another name, or let the item fail',
    }),
  ),
  syncMode: Type.Optional(
    oneOf('SyncMode', syncModes, { description: 'SCHEDULED requires a schedule; default: SCHEDULED if there is one' }),
  ),
  incremental: Type.Optional(Type.Boolean({ description: 'Default: true if the connector supports it' })),
};

export const NewCollectionTaskBody = newTaskSchema('NewCollectionTask', newFields);

export type NewCollectionTask = Static<typeof NewCollectionTaskBody>;

export const CollectionTaskChangesBody = taskChangesSchema('CollectionTaskChanges', newFields);

/** Large, because lists of URLs are long. */
export const collectionBodyLimit = 1024 * 1024;

export const PageOnlyQuery = Type.Object(pageQuery);

export type PageOnlyQuery = Static<typeof PageOnlyQuery>;
