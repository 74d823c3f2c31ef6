import { sendContent } from '../../http/byte-response.ts';
import { callerGone } from '../../http/caller-gone.ts';
import { downloadResponses } from '../../http/download-schemas.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { DataManagementErrorSchema, NoContent } from '../../http/schemas.ts';
import {
  DatasetTablesSchema,
  QueryBody,
  QueryExportBody,
  QueryParams,
  QueryResultSchema,
  QuerySaveBody,
  QueryVersionQuery,
} from './schemas/dataset-queries.ts';
import { DatasetParams } from './schemas/datasets.ts';
import { FileSchema } from './schemas/files.ts';
import type { DatasetQueries } from './sql/dataset-queries.ts';

const tags = ['Queries'];
const limits =
  'It cannot read or change anything else, and it is stopped at limits of time, memory and disk (TILTH_QUERY_SECONDS, TILTH_QUERY_MEMORY_MB, ' +
  'TILTH_QUERY_DISK_MB). Unreadable rows are not part of a table; `tables` counts them. 400 SQL_INVALID gives line and column, 400 SQL_REFUSED ' +
  'why a query cannot be run; 503 UNAVAILABLE with Retry-After while a table is read for the first time.';

/** Statements over the tables of a dataset. */
export function queryRoutes({ datasetQueries }: { datasetQueries: DatasetQueries }): AreaRoutes {
  return (app) => {
    app.get(
      '/datasets/:datasetId/tables',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listDatasetTables',
          summary: 'List the tables that a query can use, with their names and columns',
          tags,
          params: DatasetParams,
          querystring: QueryVersionQuery,
          response: { 200: DatasetTablesSchema },
        },
      },
      ({ params, query }) => datasetQueries.tables(params.datasetId, query),
    );
    app.post(
      '/datasets/:datasetId/query',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'queryDataset',
          summary: 'Run a query over the tables of a dataset',
          description: `One read-only SQL statement. ${limits} It ends when the connection is closed, or on DELETE with its \`queryId\`.`,
          tags,
          params: DatasetParams,
          querystring: QueryVersionQuery,
          body: QueryBody,
          response: { 200: QueryResultSchema },
        },
      },
      ({ params: { datasetId }, query: { version }, body, principal }, reply) =>
        datasetQueries.run({ datasetId, version, by: principal.username, signal: callerGone(reply) }, body),
    );
    app.delete(
      '/datasets/:datasetId/query/:queryId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'cancelDatasetQuery',
          summary: 'Cancel one of your running queries',
          description:
            'The call that runs it returns 409 QUERY_CANCELLED. Only the node that runs the query can cancel it.',
          tags,
          params: QueryParams,
          response: { 204: NoContent },
        },
      },
      ({ params: { datasetId, queryId }, principal }) => {
        datasetQueries.cancel(datasetId, queryId, principal.username);
        return null;
      },
    );
    app.post(
      '/datasets/:datasetId/query/export',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'exportDatasetQuery',
          summary: 'Download the whole result of a query as CSV, JSON Lines or Parquet',
          description: limits,
          tags,
          params: DatasetParams,
          querystring: QueryVersionQuery,
          body: QueryExportBody,
          response: downloadResponses('The result', 'application/octet-stream', { error: DataManagementErrorSchema }),
        },
      },
      (request, reply) =>
        datasetQueries.export(
          {
            datasetId: request.params.datasetId,
            version: request.query.version,
            by: request.principal.username,
            signal: callerGone(reply),
          },
          request.body,
          (download) => sendContent(request, reply, download),
        ),
    );
    app.post(
      '/datasets/:datasetId/query/files',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'saveDatasetQuery',
          summary: 'Save the whole result of a query as a file of the dataset',
          description: `Creates one version, whose message contains the query and the version that it read. ${limits}`,
          tags,
          params: DatasetParams,
          querystring: QueryVersionQuery,
          body: QuerySaveBody,
          response: { 201: FileSchema },
        },
      },
      ({ params: { datasetId }, query: { version }, body, principal }, reply) =>
        datasetQueries.save({ datasetId, version, by: principal.username, signal: callerGone(reply) }, body),
    );
  };
}
