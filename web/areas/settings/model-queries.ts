import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';

/** All models; they are few, so one page holds them all. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: async () =>
    (await dataOf(api.GET('/api/v1/settings/models', { params: { query: { size: 1000 } } }))).data.content,
});

export function modelQuery(id: string) {
  return queryOptions({
    queryKey: ['models', id],
    queryFn: async () => (await dataOf(api.GET('/api/v1/settings/models/{id}', { params: { path: { id } } }))).data,
  });
}

export function modelUsageQuery(id: string) {
  return queryOptions({
    queryKey: ['models', id, 'usage'],
    queryFn: async () =>
      (await dataOf(api.GET('/api/v1/settings/models/{id}/usage', { params: { path: { id } } }))).data,
  });
}
