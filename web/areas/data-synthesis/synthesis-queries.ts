import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type QueryOf } from '../../api/client.ts';
import type { NewSynthesisPreview } from '../../api/schema.ts';
import { synthesis } from '../../runs/run-area.ts';
import { taskKeys } from '../../runs/run-queries.ts';

export const synthesisKeys = {
  templates: ['data-synthesis', 'templates'] as const,
  records: (taskId: string) => [...taskKeys.one(synthesis, taskId), 'records'] as const,
};

export const busyMs = 2_000;
const mostTemplates = 1_000;

/** What a run of the task in its present state would need. */
export const forecastQuery = (id: string, changedAt: string) =>
  queryOptions({
    queryKey: [...taskKeys.one(synthesis, id), 'forecast', changedAt],
    queryFn: async () =>
      (await dataOf(api.GET('/api/v1/data-synthesis/tasks/{id}/forecast', { params: { path: { id } } }))).data,
    staleTime: 60_000,
  });

export const usageQuery = (id: string, runId: string) =>
  queryOptions({
    queryKey: [...taskKeys.run(synthesis, id, runId), 'usage'],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/data-synthesis/tasks/{id}/runs/{runId}/usage', { params: { path: { id, runId } } }),
        )
      ).data,
  });

export const diversityQuery = (id: string, runId: string) =>
  queryOptions({
    queryKey: [...synthesisKeys.records(id), 'diversity', runId],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/data-synthesis/tasks/{id}/runs/{runId}/diversity', { params: { path: { id, runId } } }),
        )
      ).data,
  });

export const recordsQuery = (id: string, query: QueryOf<'listSynthesisRecords'>) =>
  queryOptions({
    queryKey: [...synthesisKeys.records(id), 'list', query],
    queryFn: async () =>
      (await dataOf(api.GET('/api/v1/data-synthesis/tasks/{id}/records', { params: { path: { id }, query } }))).data,
    placeholderData: keepPreviousData,
  });

export const facetsQuery = (id: string, runId: string) =>
  queryOptions({
    queryKey: [...synthesisKeys.records(id), 'facets', runId],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/data-synthesis/tasks/{id}/records/facets', { params: { path: { id }, query: { runId } } }),
        )
      ).data.facets,
  });

export const recordQuery = (id: string, recordId: string) =>
  queryOptions({
    queryKey: [...synthesisKeys.records(id), 'one', recordId],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/data-synthesis/tasks/{id}/records/{recordId}', { params: { path: { id, recordId } } }),
        )
      ).data,
  });

export const templatesQuery = (query: QueryOf<'listSynthesisTemplates'>) =>
  queryOptions({
    queryKey: [...synthesisKeys.templates, 'list', query],
    queryFn: async () => (await dataOf(api.GET('/api/v1/data-synthesis/templates', { params: { query } }))).data,
    placeholderData: keepPreviousData,
  });

/** All templates, to choose from. */
export const allTemplatesQuery = templatesQuery({ page: 0, size: mostTemplates });

export const templateQuery = (id: string) =>
  queryOptions({
    queryKey: [...synthesisKeys.templates, 'one', id],
    queryFn: async () =>
      (await dataOf(api.GET('/api/v1/data-synthesis/templates/{id}', { params: { path: { id } } }))).data,
  });

export const templateVersionsQuery = (id: string) =>
  queryOptions({
    queryKey: [...synthesisKeys.templates, 'one', id, 'versions'],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/data-synthesis/templates/{id}/versions', {
            params: { path: { id }, query: { page: 0, size: mostTemplates } },
          }),
        )
      ).data.content,
  });

/** The messages for real samples; calls no model. */
export const messagesQuery = (id: string, request: NewSynthesisPreview) =>
  queryOptions({
    queryKey: [...synthesisKeys.templates, 'one', id, 'preview', request],
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          api.POST('/api/v1/data-synthesis/templates/{id}/preview', {
            params: { path: { id } },
            body: request,
            signal,
          }),
        )
      ).data,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 30_000,
  });
