import { Type, type Static } from 'typebox';
import {
  IdSchema,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  sortQuery,
  TimestampSchema,
} from '../../../http/schemas.ts';
import { DatasetTypeCodeSchema } from './dataset-types.ts';
import { DatasetTagSchema } from './tags.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

export const datasetStatuses = [
  'DRAFT',
  'ACTIVE',
  'INACTIVE',
  'PROCESSING',
  'ARCHIVED',
  'PUBLISHED',
  'DEPRECATED',
] as const;
export type DatasetStatus = (typeof datasetStatuses)[number];

/** PROCESSING is set by the service only. */
const settableStatuses = ['DRAFT', 'ACTIVE', 'INACTIVE', 'ARCHIVED', 'PUBLISHED', 'DEPRECATED'] as const;

const DatasetStatusSchema = oneOf('DatasetStatus', datasetStatuses);

export const DatasetSchema = namedObject('Dataset', {
  id: IdSchema,
  name: Type.String(),
  description: Type.String(),
  type: namedObject('DatasetTypeSummary', {
    code: DatasetTypeCodeSchema,
    name: Type.String({ description: 'Display name' }),
    supportedFormats: Type.Array(Type.String(), { description: 'Intended file extensions' }),
  }),
  status: DatasetStatusSchema,
  tags: Type.Array(DatasetTagSchema, { description: 'By name' }),
  fileCount: Type.Integer({ description: 'Files of the current version' }),
  errorCount: Type.Integer({ description: 'Files of the current version with status ERROR' }),
  totalSize: Type.Integer({ description: 'Bytes of the files of the current version' }),
  completionRate: Type.Number({ description: 'Percentage of files that are COMPLETED, two decimals; 0 when empty' }),
  version: Type.Integer({
    description: 'Current version: 1 for a new dataset, plus 1 for each commit',
  }),
  dataSource: nullable(Type.String({ description: 'Where the data comes from' })),
  targetLocation: nullable(Type.String({ description: 'Intended destination of the data' })),
  license: nullable(Type.String({ description: 'Licence: an SPDX identifier, a URL or free text' })),
  citation: nullable(Type.String({ description: 'How to cite it' })),
  createdAt: TimestampSchema,
  createdBy: Type.String({ description: 'User name' }),
  updatedAt: TimestampSchema,
  updatedBy: Type.String({ description: 'User name' }),
});
export type Dataset = Static<typeof DatasetSchema>;

export const DatasetPageSchema = pageOf(DatasetSchema);

const TagNamesSchema = Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
  maxItems: 100,
  description: 'Tag names without commas; unknown tags are created',
});
const name = Type.String({ minLength: 1, maxLength: 100, description: 'Surrounding whitespace is removed' });
const description = Type.Optional(Type.String({ maxLength: 500 }));

const license = Type.Optional(
  nullable(
    Type.String({
      maxLength: 200,
      description: 'An SPDX identifier such as CC-BY-4.0, a URL or free text; null: none',
    }),
  ),
);
const citation = Type.Optional(
  nullable(Type.String({ maxLength: 2000, description: 'How to cite it, as text or BibTeX; null: none' })),
);

/** All fields at their maximum length, every character escaped. */
export const datasetBodyLimit = 256 * 1024;

export const NewDatasetBody = namedObject('NewDataset', {
  name,
  description,
  type: DatasetTypeCodeSchema,
  tags: Type.Optional(TagNamesSchema),
  dataSource: Type.Optional(Type.String({ maxLength: 4096, description: 'Where the data comes from' })),
  targetLocation: Type.Optional(Type.String({ maxLength: 4096, description: 'Intended destination of the data' })),
  license,
  citation,
});
export type NewDataset = Static<typeof NewDatasetBody>;

export const DatasetChangesBody = namedObject('DatasetChanges', {
  name: Type.Optional(name),
  description,
  tags: Type.Optional(TagNamesSchema),
  license,
  citation,
  status: Type.Optional(
    oneOf('SettableDatasetStatus', settableStatuses, { description: 'An ARCHIVED dataset accepts no files' }),
  ),
});
export type DatasetChanges = Static<typeof DatasetChangesBody>;

export const DatasetParams = Type.Object({ datasetId: IdSchema });

export const datasetSortFields = ['name', 'createdAt', 'updatedAt', 'fileCount', 'totalSize'] as const;

export const DatasetsQuery = Type.Object({
  ...pageQuery,
  type: Type.Optional(DatasetTypeCodeSchema),
  tags: Type.Optional(Type.String({ description: 'Comma-separated tag names; datasets with all of them' })),
  keyword: Type.Optional(Type.String({ description: 'Part of the name or description; literal, not case-sensitive' })),
  status: Type.Optional(DatasetStatusSchema),
  hasErrors: Type.Optional(Type.Boolean({ description: 'true: only datasets that have files with status ERROR' })),
  sort: sortQuery('DatasetSort', datasetSortFields),
});
export type DatasetsQuery = Static<typeof DatasetsQuery>;

export const StatisticsSchema = namedObject('DatasetStatistics', {
  totalFiles: Type.Integer(),
  completedFiles: Type.Integer(),
  totalSize: Type.Integer({ description: 'Bytes' }),
  completionRate: Type.Number({ description: 'Percentage, two decimals' }),
  fileTypeDistribution: recordOf(Type.Integer(), { description: 'Files by type' }),
  statusDistribution: namedObject(
    'FileStatusCounts',
    { COMPLETED: Type.Integer(), PROCESSING: Type.Integer(), ERROR: Type.Integer() },
    { description: 'Files by status' },
  ),
});
export type Statistics = Static<typeof StatisticsSchema>;
