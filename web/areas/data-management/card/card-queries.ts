import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import type { Croissant, DatasetCard } from '../../../api/schema.ts';
import { datasetKeys } from '../dataset-queries.ts';

const pollMs = 2_000;
const mostPolls = 60;
const waitMs = 1_500;

/** The card of a dataset; polled until all its tables have been read. */
export const cardQuery = (datasetId: string, version: number | undefined) =>
  queryOptions({
    queryKey: [...datasetKeys.all, 'one', datasetId, 'card', version],
    queryFn: () =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/card', {
          params: { path: { datasetId }, query: version === undefined ? {} : { version } },
        }),
      ),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data !== undefined && isBeingRead(data) && dataUpdateCount < mostPolls ? pollMs : false,
  });

function isBeingRead({ tables }: DatasetCard): boolean {
  return tables.some(({ rows, problem }) => rows === null && problem === null);
}

/** The Croissant metadata of a version; waits until its checksums and column types are known. */
export async function readCroissant(datasetId: string, version: number): Promise<Croissant> {
  for (;;) {
    try {
      return await dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/croissant', {
          params: { path: { datasetId }, query: { version } },
        }),
      );
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
