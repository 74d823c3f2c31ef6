import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type QueryOf } from '../../api/client.ts';
import type { CleaningInspectionRequest, CleaningPreviewRequest, Operator } from '../../api/schema.ts';
import { cleaning } from '../../runs/run-area.ts';
import { taskKeys } from '../../runs/run-queries.ts';

export const cleaningKeys = { templates: ['data-cleaning', 'templates'] as const };

const scorePages = 5;
const scorePageSize = 200;

/** A sample with its score at a step; `place` is its file and, if it has one, its row. */
export type ScoredSample = { sampleId: string; place: string; score: number };

/** Scores by step, of entries spread evenly over a finished run's ledger: enough to show their distribution. */
export const sampleScoresQuery = (id: string, runId: string) =>
  queryOptions({
    queryKey: [...taskKeys.run(cleaning, id, runId), 'scores'],
    queryFn: async () => {
      const read = async (page: number) =>
        (
          await dataOf(
            api.GET('/api/v1/data-cleaning/tasks/{id}/runs/{runId}/ledger', {
              params: { path: { id, runId }, query: { page, size: scorePageSize } },
            }),
          )
        ).data;
      const first = await read(0);
      const step = (first.totalPages - 1) / (scorePages - 1);
      const others = new Set(Array.from({ length: scorePages - 1 }, (_, index) => Math.round((index + 1) * step)));
      others.delete(0);
      const pages = [first, ...(await Promise.all([...others].map(read)))];
      const scores = new Map<number, ScoredSample[]>();
      for (const entry of pages.flatMap(({ content }) => content))
        for (const { step: number, name, score } of entry.scores) {
          if (name !== null) continue;
          const { sampleId, filePath, row } = entry;
          const sample = { sampleId, place: row === null ? filePath : `${filePath} · ${row}`, score };
          const known = scores.get(number);
          if (known === undefined) scores.set(number, [sample]);
          else known.push(sample);
        }
      return scores;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export const summaryQuery = (id: string, runId: string) =>
  queryOptions({
    queryKey: [...taskKeys.run(cleaning, id, runId), 'summary'],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/data-cleaning/tasks/{id}/runs/{runId}/ledger/summary', { params: { path: { id, runId } } }),
        )
      ).data,
  });

export const ledgerQuery = (id: string, runId: string, query: QueryOf<'listLedgerEntries'>) =>
  queryOptions({
    queryKey: [...taskKeys.run(cleaning, id, runId), 'ledger', query],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/data-cleaning/tasks/{id}/runs/{runId}/ledger', { params: { path: { id, runId }, query } }),
        )
      ).data,
    placeholderData: keepPreviousData,
  });

export const inputsQuery = (id: string, runId: string, query: { page: number; size: number }) =>
  queryOptions({
    queryKey: [...taskKeys.run(cleaning, id, runId), 'inputs', query],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/data-cleaning/tasks/{id}/runs/{runId}/inputs', { params: { path: { id, runId }, query } }),
        )
      ).data,
    placeholderData: keepPreviousData,
  });

export const sampleQuery = (id: string, runId: string, sampleId: string) =>
  queryOptions({
    queryKey: [...taskKeys.run(cleaning, id, runId), 'sample', sampleId],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/data-cleaning/tasks/{id}/runs/{runId}/ledger/{sampleId}', {
            params: { path: { id, runId, sampleId } },
          }),
        )
      ).data,
  });

export const templatesQuery = (query: { page?: number; size?: number; keyword?: string }) =>
  queryOptions({
    queryKey: [...cleaningKeys.templates, query],
    queryFn: async () => (await dataOf(api.GET('/api/v1/data-cleaning/templates', { params: { query } }))).data,
    placeholderData: keepPreviousData,
  });

export const previewQuery = (request: CleaningPreviewRequest | undefined) =>
  queryOptions({
    queryKey: ['data-cleaning', 'preview', request],
    queryFn: async ({ signal }) => {
      if (request === undefined) throw new Error('There is nothing to preview');
      return (await dataOf(api.POST('/api/v1/data-cleaning/preview', { body: request, signal }))).data;
    },
    enabled: request !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });

/** How the files of a source would be read; the previous response stays while the choice changes. */
export const inspectionQuery = (request: CleaningInspectionRequest | undefined) =>
  queryOptions({
    queryKey: ['data-cleaning', 'inspection', request?.sourceDatasetId, request],
    queryFn: async ({ signal }) => {
      if (request === undefined) throw new Error('There is no source to inspect');
      return (await dataOf(api.POST('/api/v1/data-cleaning/inputs', { body: request, signal }))).data;
    },
    enabled: request !== undefined,
    placeholderData: (before, query) => (query?.queryKey[2] === request?.sourceDatasetId ? before : undefined),
    staleTime: 30_000,
    retry: false,
  });

export const operatorsQuery = queryOptions({
  queryKey: ['operators'],
  queryFn: async () =>
    (await dataOf(api.GET('/api/v1/operator-market/operators', { params: { query: { size: 1000, installed: true } } })))
      .data.content,
  staleTime: 60_000,
});

/** One version of an operator. */
export async function fetchOperator(id: string, version: string): Promise<Operator> {
  const params = { path: { id }, query: { version } };
  return (await dataOf(api.GET('/api/v1/operator-market/operators/{id}', { params }))).data;
}

export const operatorVersionQuery = (id: string, version: string) =>
  queryOptions({
    queryKey: ['operators', id, 'version', version],
    queryFn: () => fetchOperator(id, version),
    // A version never changes.
    staleTime: 60_000,
  });

export const operatorVersionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['operators', id, 'versions'],
    queryFn: async () =>
      (await dataOf(api.GET('/api/v1/operator-market/operators/{id}/versions', { params: { path: { id } } }))).data,
  });
