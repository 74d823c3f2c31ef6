import type { AreaRoutes } from '../../http/routes.ts';
import { FileQuery } from './schemas/files.ts';
import { NoContent } from '../../http/schemas.ts';
import { datasetTypes } from './datasets/dataset-types.ts';
import type { Datasets } from './datasets/datasets.ts';
import { DatasetTypesSchema } from './schemas/dataset-types.ts';
import {
  datasetBodyLimit,
  DatasetChangesBody,
  DatasetPageSchema,
  DatasetParams,
  DatasetSchema,
  DatasetsQuery,
  NewDatasetBody,
  StatisticsSchema,
} from './schemas/datasets.ts';

const tags = ['Datasets'];
const params = DatasetParams;

/** Datasets, their types and statistics. */
export function datasetRoutes({ datasets }: { datasets: Datasets }): AreaRoutes {
  return (app) => {
    app.get(
      '/dataset-types',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listDatasetTypes',
          summary: 'List the dataset types',
          tags,
          response: { 200: DatasetTypesSchema },
        },
      },
      async () => [...datasetTypes],
    );
    app.get(
      '/datasets',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listDatasets',
          summary: 'List datasets, newest first',
          tags,
          querystring: DatasetsQuery,
          response: { 200: DatasetPageSchema },
        },
      },
      (request) => datasets.list(request.query),
    );
    app.post(
      '/datasets',
      {
        bodyLimit: datasetBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'createDataset',
          summary: 'Create a dataset',
          tags,
          body: NewDatasetBody,
          response: { 201: DatasetSchema },
        },
      },
      (request) => datasets.create(request.body, request.principal.username),
    );
    app.get(
      '/datasets/:datasetId',
      {
        config: { access: 'VIEWER' },
        schema: { operationId: 'getDataset', summary: 'Get a dataset', tags, params, response: { 200: DatasetSchema } },
      },
      (request) => datasets.get(request.params.datasetId),
    );
    app.put(
      '/datasets/:datasetId',
      {
        bodyLimit: datasetBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'updateDataset',
          summary: 'Change the name, description, tags or status of a dataset',
          tags,
          params,
          body: DatasetChangesBody,
          response: { 200: DatasetSchema },
        },
      },
      (request) => datasets.update(request.params.datasetId, request.body, request.principal.username),
    );
    app.delete(
      '/datasets/:datasetId',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'deleteDataset',
          summary: 'Delete a dataset with all its versions',
          tags,
          params,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await datasets.remove(request.params.datasetId, request.principal.username);
        return null;
      },
    );
    app.get(
      '/datasets/:datasetId/statistics',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getDatasetStatistics',
          summary: 'Count the files by type and status, now or at a version',
          tags,
          params,
          querystring: FileQuery,
          response: { 200: StatisticsSchema },
        },
      },
      (request) => datasets.statistics(request.params.datasetId, request.query.version),
    );
  };
}
