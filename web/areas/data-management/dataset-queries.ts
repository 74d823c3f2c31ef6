import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import type { DatasetQuery } from '../../api/types.ts';

export const datasetKeys = { all: ['datasets'] as const };

export const datasetsQuery = (query: DatasetQuery) =>
  queryOptions({
    queryKey: [...datasetKeys.all, 'list', query],
    queryFn: () => dataOf(api.GET('/api/v1/data-management/datasets', { params: { query } })),
    placeholderData: keepPreviousData,
  });

export const datasetTypesQuery = queryOptions({
  queryKey: ['dataset-types'],
  queryFn: () => dataOf(api.GET('/api/v1/data-management/dataset-types')),
  staleTime: Number.POSITIVE_INFINITY,
});

export const tagsQuery = queryOptions({
  queryKey: ['tags'],
  queryFn: () => dataOf(api.GET('/api/v1/data-management/tags')),
});
