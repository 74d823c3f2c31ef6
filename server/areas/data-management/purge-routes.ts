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
          summary: 'Erase files from all versions and report the effects',
          description:
            'Erases all content that the files ever had in this dataset, the indexes of their tables, and the documents that knowledge bases created from them with ' +
            'texts, chunks and vectors. The report is stored. It also lists what was not erased and may still contain the content: identical files elsewhere, and the ledgers and ' +
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
          summary: 'List the purges of a dataset, newest first',
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
