import type { AreaRoutes } from '../../http/routes.ts';
import { FileColumnsQuery, FileColumnsSchema, FileRowsQuery, FileRowsSchema } from './schemas/file-rows.ts';
import { FileParams } from './schemas/files.ts';
import type { FileRowViews } from './views/file-rows.ts';

const tags = ['Files'];

/** Rows and columns of tables. */
export function fileRowRoutes({ fileRows }: { fileRows: FileRowViews }): AreaRoutes {
  return (app) => {
    app.get(
      '/datasets/:datasetId/files/:fileId/rows',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listFileRows',
          summary: 'Show rows of a table: JSON Lines, JSON arrays, CSV, TSV, Parquet, or a sheet of a workbook',
          description:
            'Rows are in file order and numbered as in a run; unreadable rows are included with ' +
            'the reason. The first call starts building an index in the background and reads the file itself; requests that need the ' +
            'index wait for it, with 503 UNAVAILABLE and Retry-After while it is not ready.',
          tags,
          params: FileParams,
          querystring: FileRowsQuery,
          response: { 200: FileRowsSchema },
        },
      },
      ({ params, query }) => fileRows.rows(params.datasetId, params.fileId, query),
    );
    app.get(
      '/datasets/:datasetId/files/:fileId/columns',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'describeFileColumns',
          summary:
            'Describe the columns of a table: types, empty and distinct values, ranges, histograms, most frequent values',
          description:
            'Computed once per content in the background and stored with the index; until then, 503 UNAVAILABLE with Retry-After.',
          tags,
          params: FileParams,
          querystring: FileColumnsQuery,
          response: { 200: FileColumnsSchema },
        },
      },
      ({ params, query }) => fileRows.columns(params.datasetId, params.fileId, query),
    );
  };
}
