import type { AreaRoutes } from '../../http/routes.ts';
import { DatasetParams } from './schemas/datasets.ts';
import { VersionDiffQuery, VersionDiffSchema } from './schemas/version-diffs.ts';
import {
  PruneBody,
  PrunedSchema,
  RestoreBody,
  VersionNameBody,
  VersionPageSchema,
  VersionSchema,
  VersionsQuery,
} from './schemas/versions.ts';
import { RowDiffQuery, RowDiffSchema } from './schemas/row-diffs.ts';
import type { RowDiffs } from './versions/row-diffs.ts';
import type { VersionDiffs } from './versions/version-diffs.ts';
import type { VersionPruning } from './versions/version-pruning.ts';
import type { Versions } from './versions/versions.ts';

const tags = ['Versions'];
const params = DatasetParams;

export type VersionNouns = {
  versions: Versions;
  versionDiffs: VersionDiffs;
  rowDiffs: RowDiffs;
  versionPruning: VersionPruning;
};

/** The versions of a dataset: list, names, differences, restoring and pruning. */
export function versionRoutes({ versions, versionDiffs, rowDiffs, versionPruning }: VersionNouns): AreaRoutes {
  return (app) => {
    app.get(
      '/datasets/:datasetId/versions',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listDatasetVersions',
          summary: 'List the versions of a dataset, newest first',
          tags,
          params,
          querystring: VersionsQuery,
          response: { 200: VersionPageSchema },
        },
      },
      (request) => versions.list(request.params.datasetId, request.query),
    );
    app.post(
      '/datasets/:datasetId/versions',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'nameDatasetVersion',
          summary: 'Name the current version',
          tags,
          params,
          body: VersionNameBody,
          response: { 201: VersionSchema },
        },
      },
      (request) => versions.nameCurrent(request.params.datasetId, request.body),
    );
    app.get(
      '/datasets/:datasetId/diff',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'compareDatasetVersions',
          summary: 'List the files that differ between two versions',
          description:
            'Files are matched by path; a file that was renamed with unchanged content is MOVED. Identical content that was uploaded again ' +
            'does not count as a change once its SHA-256 is known.',
          tags,
          params,
          querystring: VersionDiffQuery,
          response: { 200: VersionDiffSchema },
        },
      },
      (request) => versionDiffs.compare(request.params.datasetId, request.query),
    );
    app.get(
      '/datasets/:datasetId/diff/rows',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'compareTableVersions',
          summary: 'List the rows of a table that differ between two versions',
          description:
            'JSON Lines, JSON arrays, CSV, TSV and Parquet, also across formats. Rows are matched by key columns or compared by content. ' +
            'The first call builds both indexes and compares them in the background; until that is done, it returns 503 UNAVAILABLE with Retry-After.',
          tags,
          params,
          querystring: RowDiffQuery,
          response: { 200: RowDiffSchema },
        },
      },
      (request) => rowDiffs.compare(request.params.datasetId, request.query),
    );
    app.post(
      '/datasets/:datasetId/restore',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'restoreDatasetVersion',
          summary: 'Restore the files of an older version',
          description:
            'Creates one version; no bytes are copied and no version is lost. Refused with 409 while a run writes to the dataset ' +
            '(DATASET_WRITTEN) or an upload is open (UPLOAD_OPEN).',
          tags,
          params,
          body: RestoreBody,
          response: { 200: VersionSchema },
        },
      },
      ({ params: { datasetId }, body, principal }) => versions.restore(datasetId, body, principal.username),
    );
    app.post(
      '/datasets/:datasetId/prune',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'pruneDatasetVersions',
          summary: 'Delete old versions and the content that only they use',
          description:
            'Keeps the current version, named versions, versions that a stored run read, and those that `keepLast` or `before` keep; ' +
            'with both, a version is kept if either keeps it. The numbers of deleted versions are never reused.',
          tags,
          params,
          body: PruneBody,
          response: { 200: PrunedSchema },
        },
      },
      ({ params: { datasetId }, body }) => versionPruning.prune(datasetId, body),
    );
  };
}
