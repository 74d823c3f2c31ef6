import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type QueryOf } from '../../../api/client.ts';
import { wordsToSend } from '../operator-search.ts';
import type { MarketSearch } from './market-search.ts';

/** Prefix of the keys of all operator queries: what an action invalidates. */
export const operatorsKey = ['operators'] as const;

export const marketPageSize = 24;

export const marketQuery = ({ keyword, sort, page = 0, ...filters }: MarketSearch) => {
  const words = keyword === undefined ? '' : wordsToSend(keyword);
  const query: QueryOf<'listOperators'> = {
    ...filters,
    source: 'PUBLISHED',
    page,
    size: marketPageSize,
    ...(words === '' ? {} : { words }),
    ...(sort === undefined ? {} : { sort: `${sort},desc` }),
  };
  return queryOptions({
    queryKey: [...operatorsKey, 'market', query],
    queryFn: async () => (await dataOf(api.GET('/api/v1/operator-market/operators', { params: { query } }))).data,
    placeholderData: keepPreviousData,
  });
};

export const facetsQuery = queryOptions({
  queryKey: [...operatorsKey, 'facets'],
  queryFn: async () =>
    (await dataOf(api.GET('/api/v1/operator-market/facets', { params: { query: { source: 'PUBLISHED' } } }))).data,
});

export const operatorQuery = (id: string, version?: string) =>
  queryOptions({
    queryKey: [...operatorsKey, id, 'version', version ?? null],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/operator-market/operators/{id}', {
            params: { path: { id }, query: version === undefined ? {} : { version } },
          }),
        )
      ).data,
  });

const usingTasksSize = 200;

/** The cleaning tasks that use an operator. */
export const usingTasksQuery = (operatorId: string) =>
  queryOptions({
    queryKey: ['data-cleaning', 'tasks', 'using', operatorId],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/data-cleaning/tasks', {
            params: { query: { operatorId, size: usingTasksSize, sort: 'name,asc' } },
          }),
        )
      ).data,
  });

export const publisherKeysQuery = queryOptions({
  queryKey: ['publisher-keys'],
  queryFn: async () => (await dataOf(api.GET('/api/v1/operator-market/publisher-keys'))).data,
});
