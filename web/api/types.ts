// Short names for what the API answers, taken from the generated types.
import type { paths } from './schema.ts';

type Answer<P extends keyof paths, M extends 'get' | 'post'> = paths[P] extends Record<M, { responses: infer R }>
  ? R extends { 200: { content: { 'application/json': infer T } } }
    ? T
    : R extends { 201: { content: { 'application/json': infer T } } }
      ? T
      : never
  : never;

type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } } ? NonNullable<Q> : never;

export type DatasetPage = Answer<'/api/v1/data-management/datasets', 'get'>;
export type Dataset = DatasetPage['content'][number];
export type DatasetQuery = Query<'/api/v1/data-management/datasets'>;
export type DatasetType = Answer<'/api/v1/data-management/dataset-types', 'get'>[number];
export type Tag = Answer<'/api/v1/data-management/tags', 'get'>[number];
export type DatasetFilePage = Answer<'/api/v1/data-management/datasets/{datasetId}/files', 'get'>;
export type DatasetFile = DatasetFilePage['content'][number];
export type DatasetFileQuery = Query<'/api/v1/data-management/datasets/{datasetId}/files'>;
export type Folder = NonNullable<DatasetFilePage['directories']>[number];
export type DatasetStatistics = Answer<'/api/v1/data-management/datasets/{datasetId}/statistics', 'get'>;
export type DatasetVersion = Answer<'/api/v1/data-management/datasets/{datasetId}/versions', 'get'>['content'][number];
export type User = Answer<'/api/v1/auth/users', 'get'>[number];
export type Me = Answer<'/api/v1/auth/me', 'get'>;
export type ApiKey = Answer<'/api/v1/auth/api-keys', 'get'>[number];
export type CleaningTask = Answer<'/api/v1/data-cleaning/tasks', 'get'>['data']['content'][number];
export type CleaningRun = Answer<'/api/v1/data-cleaning/tasks/{id}/runs', 'get'>['data']['content'][number];
export type Operator = Answer<'/api/v1/operator-market/operators', 'get'>['data']['content'][number];
export type CleaningTaskQuery = Query<'/api/v1/data-cleaning/tasks'>;
export type NewCleaningTask =
  paths['/api/v1/data-cleaning/tasks']['post']['requestBody']['content']['application/json'];
export type CleaningTemplate = Answer<'/api/v1/data-cleaning/templates', 'get'>['data']['content'][number];
export type CleaningPreview = Answer<'/api/v1/data-cleaning/preview', 'post'>['data'];
export type SampleTrace = CleaningPreview['samples'][number];
export type PreviewRequest = paths['/api/v1/data-cleaning/preview']['post']['requestBody']['content']['application/json'];
export type LogLine = Answer<'/api/v1/data-cleaning/tasks/{id}/runs/{runId}/logs', 'get'>['data']['content'][number];
export type LedgerEntry = Answer<'/api/v1/data-cleaning/tasks/{id}/runs/{runId}/ledger', 'get'>['data']['content'][number];
export type LedgerQuery = Query<'/api/v1/data-cleaning/tasks/{id}/runs/{runId}/ledger'>;
export type LedgerSummary = Answer<'/api/v1/data-cleaning/tasks/{id}/runs/{runId}/ledger/summary', 'get'>['data'];
export type OperatorQuery = Query<'/api/v1/operator-market/operators'>;
