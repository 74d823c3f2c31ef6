import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type QueryOf } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { datasetKeys } from '../dataset-queries.ts';

/** The files that differ between two versions. */
export const diffQuery = (datasetId: string, query: QueryOf<'compareDatasetVersions'>) =>
  queryOptions({
    queryKey: [...datasetKeys.all, 'one', datasetId, 'diff', query],
    queryFn: () =>
      dataOf(api.GET('/api/v1/data-management/datasets/{datasetId}/diff', { params: { path: { datasetId }, query } })),
    placeholderData: keepPreviousData,
  });

/** The rows of a table that differ between two versions; polled while the service compares them. */
export const rowDiffQuery = (datasetId: string, query: QueryOf<'compareTableVersions'>) =>
  queryOptions({
    queryKey: [...datasetKeys.all, 'one', datasetId, 'row-diff', query],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/diff/rows', {
          params: { path: { datasetId }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: (tries, error) => isBeingCompared(error) || (!(error instanceof ApiError) && tries < 5),
    retryDelay: 1_000,
  });

export function isBeingCompared(error: unknown): boolean {
  return error instanceof ApiError && error.status === 503;
}

/** What was erased from all versions, newest first. */
export const purgesQuery = (datasetId: string, query: QueryOf<'listPurges'>) =>
  queryOptions({
    queryKey: [...datasetKeys.all, 'one', datasetId, 'purges', query],
    queryFn: () =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/purges', { params: { path: { datasetId }, query } }),
      ),
    placeholderData: keepPreviousData,
  });
