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
            'Rows stand in the order of the file and are numbered as a run numbers them; those that can not be read are among them, with ' +
            'the reason. The first call starts building an index in the background and is answered from the file itself; what needs the ' +
            'index waits for it, and is 503 UNAVAILABLE with Retry-After while it is not ready.',
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
            'Describe the columns of a table: types, empty and different values, ranges, histograms, most frequent values',
          description:
            'Counted once for each content, in the background, and kept beside the index; until that is done, it is 503 UNAVAILABLE with Retry-After.',
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
