import { Type, type Static, type TObject } from 'typebox';
import { idPattern } from '../../kernel/ids.ts';
import {
  codeFields,
  IdSchema,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  TimestampSchema,
} from '../../http/schemas.ts';
import { newTaskSchema, taskChangesSchema, taskSchema } from '../../tasks/schemas.ts';

const syncModes = ['ONCE', 'SCHEDULED'] as const;
const conflictPolicies = ['REPLACE', 'RENAME', 'ERROR'] as const;
const datasetTypes = ['TEXT', 'IMAGE', 'AUDIO', 'VIDEO', 'MULTIMODAL'] as const;
export const itemVerdicts = ['KEPT', 'DROPPED', 'FAILED'] as const;

const openConfig = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const SourceSchema = namedObject('CollectionSource', {
  type: Type.String({ description: 'Type of the connector' }),
  config: openConfig(
    "The connector's configuration. Secret fields are null; `hasSecret` beside them says whether any is stored",
  ),
  storedSecrets: Type.Array(Type.String(), { description: 'Secret fields that have a value' }),
});

const NewSourceSchema = namedObject('NewCollectionSource', {
  type: Type.String({ minLength: 1, maxLength: 100, description: 'Type of a connector' }),
  config: Type.Record(Type.String(), Type.Unknown(), {
    maxProperties: 100,
    description:
      "By the connector's `configSchema`. A secret field that is missing or null keeps its value when a task is changed; an empty one removes it",
  }),
});

/** Fields of a collection task beyond those of all tasks. */
const collectionFields = {
  connector: SourceSchema,
  targetDatasetId: nullable(Type.String({ description: 'Null until a run has created the dataset' })),
  targetDatasetName: Type.String(),
  targetDatasetType: oneOf('DatasetTypeOfTarget', datasetTypes),
  prefix: Type.String({ description: 'Folder of the dataset for what is collected; empty: the root' }),
  onConflict: oneOf('CollectionConflictPolicy', conflictPolicies),
  syncMode: oneOf('SyncMode', syncModes),
  incremental: Type.Boolean({ description: 'Whether runs fetch only what has changed since the one before' }),
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
        'When a path is taken by a file that this task did not collect: replace it (default; older versions keep it), take another name, or let the item fail',
    }),
  ),
  syncMode: Type.Optional(
    oneOf('SyncMode', syncModes, { description: 'SCHEDULED needs a schedule; default: whether there is one' }),
  ),
  incremental: Type.Optional(Type.Boolean({ description: 'Default: whether the connector can' })),
};
export const NewCollectionTaskBody = newTaskSchema('NewCollectionTask', newFields);
export type NewCollectionTask = Static<typeof NewCollectionTaskBody>;
export const CollectionTaskChangesBody = taskChangesSchema('CollectionTaskChanges', newFields);

/** Lists of URLs are long. */
export const collectionBodyLimit = 1024 * 1024;

export const ConnectorSchema = namedObject('Connector', {
  type: Type.String(),
  name: Type.String(),
  description: Type.String(),
  configSchema: openConfig('JSON Schema of the configuration; secret fields are writeOnly'),
  secretFields: Type.Array(Type.String()),
  incremental: Type.Boolean({ description: 'Whether later runs can fetch only what has changed' }),
});
export type ConnectorView = Static<typeof ConnectorSchema>;
export const ConnectorPageSchema = pageOf(ConnectorSchema);
export const PageOnlyQuery = Type.Object(pageQuery);
export type PageOnlyQuery = Static<typeof PageOnlyQuery>;

export const ConnectorParams = Type.Object({ type: Type.String({ minLength: 1, maxLength: 100 }) });
export const ConnectorTestBody = namedObject('ConnectorTest', {
  config: NewSourceSchema.properties.config,
  taskId: Type.Optional(
    Type.String({
      pattern: idPattern,
      description: 'A task whose stored secrets are used for those that are not given',
    }),
  ),
});
export type ConnectorTest = Static<typeof ConnectorTestBody>;
export const ConnectorTestResultSchema = namedObject('ConnectorTestResult', {
  ok: Type.Boolean(),
  message: Type.String({ description: 'What was found, or why the source can not be reached' }),
  ...codeFields('message'),
  sample: Type.Array(
    Type.Record(Type.String(), Type.Unknown(), { description: 'An item with its size, or a row with its columns' }),
  ),
});
export type ConnectorTestResult = Static<typeof ConnectorTestResultSchema>;

export const ItemSchema = namedObject('CollectionItem', {
  name: Type.String({ description: 'URL, path, object key, or rows of a table' }),
  verdict: oneOf('CollectionVerdict', itemVerdicts),
  reason: nullable(Type.String({ description: 'Why it was dropped or failed' })),
  ...codeFields('reason'),
  path: nullable(Type.String({ description: 'Path in the dataset' })),
  inputs: Type.Integer({ description: 'Counted inputs that it stands for: the rows of a file of rows, otherwise 1' }),
  sizeBytes: nullable(Type.Integer()),
  fetchedAt: TimestampSchema,
  evidence: Type.Union(
    [Type.Record(Type.String(), Type.Unknown(), { description: 'What the source said of it' }), Type.Null()],
    { description: 'What the source said of it' },
  ),
});
export type CollectionItem = Static<typeof ItemSchema>;
export const ItemPageSchema = pageOf(ItemSchema);
export const ItemsQuery = Type.Object({
  ...pageQuery,
  verdict: Type.Optional(oneOf('CollectionVerdict', itemVerdicts)),
  search: Type.Optional(
    Type.String({ maxLength: 500, description: 'Part of the name, path or reason, without regard to case' }),
  ),
});
export type ItemsQuery = Static<typeof ItemsQuery>;

export const SourceStateSchema = namedObject('CollectionState', {
  name: Type.String({ description: 'URL, path, object key, or table' }),
  path: Type.String({ description: 'Path in the dataset when it was fetched' }),
  sizeBytes: Type.Integer(),
  fetchedAt: TimestampSchema,
  stamp: Type.Unknown({ description: "The source's validators of the content" }),
  position: Type.Unknown({ description: 'Where the next run continues in a table' }),
});
export type SourceState = Static<typeof SourceStateSchema>;
export const SourceStatePageSchema = pageOf(SourceStateSchema);
