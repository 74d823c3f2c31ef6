import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type QueryOf } from '../../api/client.ts';
import { collection } from '../../runs/run-area.ts';
import { taskKeys } from '../../runs/run-queries.ts';

const mostConnectors = 1_000;

export const connectorsQuery = queryOptions({
  queryKey: ['data-collection', 'connectors'],
  queryFn: async () =>
    (
      await dataOf(
        api.GET('/api/v1/data-collection/connectors', { params: { query: { page: 0, size: mostConnectors } } }),
      )
    ).data.content,
  staleTime: Number.POSITIVE_INFINITY,
});

export const stateQuery = (id: string, query: { page: number; size: number }) =>
  queryOptions({
    queryKey: [...taskKeys.one(collection, id), 'state', query],
    queryFn: async () =>
      (await dataOf(api.GET('/api/v1/data-collection/tasks/{id}/state', { params: { path: { id }, query } }))).data,
    placeholderData: keepPreviousData,
  });

export const itemsQuery = (id: string, runId: string, query: QueryOf<'listCollectionItems'>) =>
  queryOptions({
    queryKey: [...taskKeys.run(collection, id, runId), 'items', query],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/data-collection/tasks/{id}/runs/{runId}/items', { params: { path: { id, runId }, query } }),
        )
      ).data,
    placeholderData: keepPreviousData,
  });
