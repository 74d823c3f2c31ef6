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
          summary: 'Count what the files contain: texts, languages, tokens, columns, pictures, repeats',
          description:
            'The first call starts counting in the background, each content once; until that is done, `state` is COUNTING with the number of files. What is ' +
            'counted is derived from the files and goes with them.',
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
          summary: 'Count what one file contains',
          description: 'As of a dataset.',
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
          summary: 'Count all files of a version again',
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
