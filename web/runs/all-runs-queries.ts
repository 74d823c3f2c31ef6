import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type QueryOf } from '../api/client.ts';

const busyMs = 2_000;
const idleMs = 10_000;

/** The runs of all areas, newest first. */
export const allRunsQuery = (query: QueryOf<'listRuns'>) =>
  queryOptions({
    queryKey: ['runs', 'list', query],
    queryFn: async () => (await dataOf(api.GET('/api/v1/runs', { params: { query } }))).data,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.content.some(({ status }) => status === 'RUNNING' || status === 'QUEUED') === true ? busyMs : idleMs,
  });

/** Number of active runs in all areas. */
export const runningCountQuery = queryOptions({
  queryKey: ['runs', 'running'],
  queryFn: async () =>
    (await dataOf(api.GET('/api/v1/runs', { params: { query: { status: 'RUNNING', size: 1 } } }))).data.totalElements,
  refetchInterval: ({ state }) => ((state.data ?? 0) > 0 ? busyMs : idleMs),
});
