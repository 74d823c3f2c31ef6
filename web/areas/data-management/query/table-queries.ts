import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import type { DatasetTables } from '../../../api/schema.ts';

const pollMs = 2_000;

/** The tables that a query can name; polled until the columns of all tables being read are known. */
export const tablesQuery = (datasetId: string, version: number | undefined) =>
  queryOptions({
    queryKey: ['dataset-tables', datasetId, version],
    queryFn: () =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/tables', {
          params: { path: { datasetId }, query: version === undefined ? {} : { version } },
        }),
      ),
    refetchInterval: ({ state }) =>
      state.data?.tables.slice(0, looked).some(({ columns, fileSize }) => columns === null && fileSize > 0) === true &&
      state.dataUpdateCount < 60
        ? pollMs
        : false,
  });

/** The first so many tables are read unasked, to find out their columns. */
export const looked = 5;

/**
 * Queries that read tables whose columns are unknown, which builds their indexes. Each returns why a file is not a
 * table, otherwise null.
 */
export function lookQueries(datasetId: string, version: number | undefined, tables: DatasetTables['tables']) {
  return tables
    .slice(0, looked)
    .filter(({ columns, fileSize }) => columns === null && fileSize > 0)
    .map(({ fileId, sheet }) =>
      queryOptions({
        queryKey: ['table-look', datasetId, version, fileId, sheet],
        queryFn: async () => {
          const query = {
            offset: 0,
            limit: 1,
            ...(version === undefined ? {} : { version }),
            ...(sheet === undefined ? {} : { sheet }),
          };
          const path = { datasetId, fileId };
          try {
            await dataOf(
              api.GET('/api/v1/data-management/datasets/{datasetId}/files/{fileId}/rows', { params: { path, query } }),
            );
          } catch (error) {
            if (error instanceof ApiError && error.code === 'NOT_A_TABLE') return { fileId, sheet, error };
          }
          return null;
        },
      }),
    );
}
