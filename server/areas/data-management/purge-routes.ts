import type { AreaRoutes } from '../../http/routes.ts';
import type { Purges } from './purges/purges.ts';
import { DatasetParams } from './schemas/datasets.ts';
import { PurgeBody, PurgePageSchema, PurgeReportSchema, PurgesQuery } from './schemas/purges.ts';

const tags = ['Versions'];
const params = DatasetParams;

/** Erasing content for good, and the record of it. */
export function purgeRoutes({ purges }: { purges: Purges }): AreaRoutes {
  return (app) => {
    app.post(
      '/datasets/:datasetId/purge',
      {
        // 1,000 ids of 64 characters.
        bodyLimit: 128 * 1024,
        config: { access: 'EDITOR', freesSpace: true },
        schema: {
          operationId: 'purgeFiles',
          summary: 'Erase files from all versions, and report what that touched',
          description:
            'Erases every content that the files ever had in this dataset, the indexes of their tables, and the documents that knowledge bases made of them with ' +
            'texts, chunks and vectors. The report is kept. It also names what may still hold the content and was not touched: equal files elsewhere, and the ledgers and ' +
            'results of runs that read it.',
          tags,
          params,
          body: PurgeBody,
          response: { 200: PurgeReportSchema },
        },
      },
      ({ params: { datasetId }, body, principal }) => purges.purge(datasetId, body.fileIds, principal.username),
    );
    app.get(
      '/datasets/:datasetId/purges',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listPurges',
          summary: 'List who erased what from all versions, newest first',
          tags,
          params,
          querystring: PurgesQuery,
          response: { 200: PurgePageSchema },
        },
      },
      (request) => purges.list(request.params.datasetId, request.query),
    );
  };
}
