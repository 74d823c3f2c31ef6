import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';

const pollMs = 1_000;

const keyOf = (datasetId: string, version: number | undefined) => ['content-statistics', datasetId, version] as const;

/** What the files contain; polled until all are counted. */
export const contentStatisticsQuery = (datasetId: string, version: number | undefined) =>
  queryOptions({
    queryKey: keyOf(datasetId, version),
    queryFn: () =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/content-statistics', {
          params: { path: { datasetId }, query: version === undefined ? {} : { version } },
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.state === 'COUNTING' ? pollMs : false),
  });

/** The same for one file. */
export const fileStatisticsQuery = (datasetId: string, fileId: string, version: number | undefined) =>
  queryOptions({
    queryKey: ['file-content-statistics', datasetId, fileId, version],
    queryFn: () =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/files/{fileId}/content-statistics', {
          params: { path: { datasetId, fileId }, query: version === undefined ? {} : { version } },
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.state === 'COUNTING' ? pollMs : false),
  });

/** Counts all files of a version again. */
export async function rebuildStatistics(datasetId: string, version: number | undefined) {
  return dataOf(
    api.POST('/api/v1/data-management/datasets/{datasetId}/content-statistics/rebuild', {
      params: { path: { datasetId }, query: version === undefined ? {} : { version } },
    }),
  );
}
