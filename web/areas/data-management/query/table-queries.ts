import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';

const pollMs = 2_000;

/** The tables that a query can name; asked for again until the columns of all that are being read are known. */
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

/** Of so many tables the columns are made known without being asked for. */
export const looked = 5;

/** Reads the columns of a table: the first look at it builds its index. */
export async function lookAtTable({
  datasetId,
  fileId,
  sheet,
  version,
}: {
  datasetId: string;
  fileId: string;
  sheet: string | null;
  version: number | undefined;
}): Promise<void> {
  await api.GET('/api/v1/data-management/datasets/{datasetId}/files/{fileId}/rows', {
    params: {
      path: { datasetId, fileId },
      query: {
        offset: 0,
        limit: 1,
        ...(version === undefined ? {} : { version }),
        ...(sheet === null ? {} : { sheet }),
      },
    },
  });
}
