import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { addressOf } from '../../api/path-prefix.ts';
import { api, dataOf, type QueryOf } from '../../api/client.ts';

export const datasetKeys = { all: ['datasets'] as const };

export const datasetsQuery = (query: QueryOf<'listDatasets'>) =>
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

export const datasetQuery = (datasetId: string) =>
  queryOptions({
    queryKey: [...datasetKeys.all, 'one', datasetId],
    queryFn: () => dataOf(api.GET('/api/v1/data-management/datasets/{datasetId}', { params: { path: { datasetId } } })),
  });

export const statisticsQuery = (datasetId: string, version?: number) =>
  queryOptions({
    queryKey: [...datasetKeys.all, 'one', datasetId, 'statistics', version],
    queryFn: () =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/statistics', {
          params: { path: { datasetId }, query: version === undefined ? {} : { version } },
        }),
      ),
  });

export const filesQuery = (datasetId: string, query: QueryOf<'listFiles'>) =>
  queryOptions({
    queryKey: [...datasetKeys.all, 'one', datasetId, 'files', query],
    queryFn: () =>
      dataOf(api.GET('/api/v1/data-management/datasets/{datasetId}/files', { params: { path: { datasetId }, query } })),
    placeholderData: keepPreviousData,
  });

export const fileQuery = (datasetId: string, fileId: string, version: number | undefined) =>
  queryOptions({
    queryKey: [...datasetKeys.all, 'one', datasetId, 'file', fileId, version],
    queryFn: () =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/files/{fileId}', {
          params: { path: { datasetId, fileId }, query: { version } },
        }),
      ),
  });

export const versionsQuery = (datasetId: string, query: { page: number; size: number }) =>
  queryOptions({
    queryKey: [...datasetKeys.all, 'one', datasetId, 'versions', query],
    queryFn: () =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/versions', { params: { path: { datasetId }, query } }),
      ),
    placeholderData: keepPreviousData,
  });

/** Address of a file's content; supports ranges. */
export function downloadUrl(datasetId: string, fileId: string, version?: number): string {
  const query = version === undefined ? '' : `?version=${version}`;
  return addressOf(
    `/api/v1/data-management/datasets/${encodeURIComponent(datasetId)}/files/${encodeURIComponent(fileId)}/download${query}`,
  );
}

/** Address of the ZIP of a dataset, a folder or single files. */
export function archiveUrl(
  datasetId: string,
  selection: { prefix?: string; fileIds?: readonly string[]; version?: number } = {},
): string {
  const query = new URLSearchParams();
  if (selection.prefix !== undefined) query.set('prefix', selection.prefix);
  if (selection.fileIds !== undefined) query.set('fileIds', selection.fileIds.join(','));
  if (selection.version !== undefined) query.set('version', String(selection.version));
  const text = query.size === 0 ? '' : `?${query}`;
  return addressOf(`/api/v1/data-management/datasets/${encodeURIComponent(datasetId)}/files/download${text}`);
}
