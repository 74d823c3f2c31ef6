import type { AreaRoutes } from '../../http/routes.ts';
import { ContentStatisticsSchema } from './schemas/content-statistics.ts';
import { DatasetParams } from './schemas/datasets.ts';
import { FileParams, FileQuery } from './schemas/files.ts';
import type { ContentStatisticsOf } from './statistics/content-statistics.ts';

const tags = ['Datasets'];

/** Statistics of the contents of files. */
export function statisticsRoutes({ contentStatistics }: { contentStatistics: ContentStatisticsOf }): AreaRoutes {
  return (app) => {
    app.get(
      '/datasets/:datasetId/content-statistics',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getContentStatistics',
          summary: 'Get statistics of the file contents: texts, languages, tokens, columns, pictures, duplicates',
          description:
            'The first call starts counting in the background, each content once; until that is done, `state` is COUNTING with the number of files. The statistics ' +
            'are derived from the files and deleted with them.',
          tags,
          params: DatasetParams,
          querystring: FileQuery,
          response: { 200: ContentStatisticsSchema },
        },
      },
      ({ params, query }) => contentStatistics.ofDataset(params.datasetId, query.version),
    );
    app.get(
      '/datasets/:datasetId/files/:fileId/content-statistics',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getFileContentStatistics',
          summary: 'Get statistics of the content of one file',
          description: 'Works as for a dataset.',
          tags: ['Files'],
          params: FileParams,
          querystring: FileQuery,
          response: { 200: ContentStatisticsSchema },
        },
      },
      ({ params, query }) => contentStatistics.ofFile(params.datasetId, params.fileId, query.version),
    );
    app.post(
      '/datasets/:datasetId/content-statistics/rebuild',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'rebuildContentStatistics',
          summary: 'Recount all files of a version',
          tags,
          params: DatasetParams,
          querystring: FileQuery,
          response: { 200: ContentStatisticsSchema },
        },
      },
      ({ params, query }) => contentStatistics.rebuild(params.datasetId, query.version),
    );
  };
}
