import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { RunArea } from './run-area.ts';

type PageQuery = { page: number; size: number };

/** Retention of runs and of model replies: changes only with a restart. */
export const retentionQuery = queryOptions({
  queryKey: ['retention'],
  queryFn: async () => (await dataOf(api.GET('/api/v1/settings/retention'))).data,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Cache keys of an area's tasks and of what belongs to one of them. */
export const taskKeys = {
  all: ({ prefix }: RunArea) => [prefix, 'tasks'] as const,
  one: (area: RunArea, taskId: string) => [...taskKeys.all(area), 'one', taskId] as const,
  run: (area: RunArea, taskId: string, runId: string) => [...taskKeys.one(area, taskId), 'run', runId] as const,
};

export const runsQuery = (area: RunArea, taskId: string, query: PageQuery) =>
  queryOptions({
    queryKey: [...taskKeys.one(area, taskId), 'runs', query],
    queryFn: async () =>
      (await dataOf(api.GET(`/api/v1/${area.prefix}/tasks/{id}/runs`, { params: { path: { id: taskId }, query } })))
        .data,
    placeholderData: keepPreviousData,
  });

export const runQuery = (area: RunArea, taskId: string, runId: string) =>
  queryOptions({
    queryKey: taskKeys.run(area, taskId, runId),
    queryFn: async () =>
      (
        await dataOf(
          api.GET(`/api/v1/${area.prefix}/tasks/{id}/runs/{runId}`, { params: { path: { id: taskId, runId } } }),
        )
      ).data,
  });

export const logsQuery = (area: RunArea, taskId: string, runId: string, query: PageQuery) =>
  queryOptions({
    queryKey: [...taskKeys.run(area, taskId, runId), 'logs', query],
    queryFn: async () =>
      (
        await dataOf(
          api.GET(`/api/v1/${area.prefix}/tasks/{id}/runs/{runId}/logs`, {
            params: { path: { id: taskId, runId }, query },
          }),
        )
      ).data,
  });
