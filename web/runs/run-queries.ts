import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type QueryOf } from '../api/client.ts';
import type { RunArea, TaskOf, TaskPageOf } from './run-area.ts';

type PageQuery = { page: number; size: number };

/** Retention of runs and of model replies: changes only at a restart. */
export const retentionQuery = queryOptions({
  queryKey: ['retention'],
  queryFn: async () => (await dataOf(api.GET('/api/v1/settings/retention'))).data,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Cache keys of an area's tasks and of their parts. */
export const taskKeys = {
  all: ({ prefix }: RunArea) => [prefix, 'tasks'] as const,
  one: (area: RunArea, taskId: string) => [...taskKeys.all(area), 'one', taskId] as const,
  run: (area: RunArea, taskId: string, runId: string) => [...taskKeys.one(area, taskId), 'run', runId] as const,
};

const busyMs = 2_000;

/** The tasks of an area, polled every two seconds while one of them runs. */
export const tasksQuery = <Area extends RunArea>(area: Area, query: QueryOf<'listCleaningTasks'>) =>
  queryOptions({
    queryKey: [...taskKeys.all(area), 'list', query],
    queryFn: async () =>
      (await dataOf(api.GET(`/api/v1/${area.prefix}/tasks`, { params: { query } }))).data as TaskPageOf<Area>,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.content.some(({ status }) => status === 'RUNNING') === true ? busyMs : false,
  });

/** One task, polled every two seconds while it runs. */
export const taskQuery = <Area extends RunArea>(area: Area, id: string) =>
  queryOptions({
    queryKey: taskKeys.one(area, id),
    queryFn: async () =>
      (await dataOf(api.GET(`/api/v1/${area.prefix}/tasks/{id}`, { params: { path: { id } } }))).data as TaskOf<Area>,
    refetchInterval: ({ state }) => (state.data?.status === 'RUNNING' ? busyMs : false),
  });

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
