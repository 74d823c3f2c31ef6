import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type QueryOf } from '../../../api/client.ts';
import { datasetKeys } from '../dataset-queries.ts';
import type { UseSearch } from './lineage-search.ts';

/** What a dataset was made from, and what was made from it. */
export const lineageQuery = (datasetId: string, query: QueryOf<'getDatasetLineage'>) =>
  queryOptions({
    queryKey: [...datasetKeys.all, 'one', datasetId, 'lineage', query],
    queryFn: () =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}/lineage', { params: { path: { datasetId }, query } }),
      ),
    placeholderData: keepPreviousData,
  });

/** What was made with an operator, a model or a knowledge base, and from what. */
export const usedInQuery = (path: Pick<UseSearch, 'kind' | 'id'>, query: QueryOf<'getLineage'>) =>
  queryOptions({
    queryKey: [...datasetKeys.all, 'lineage', path, query],
    queryFn: () => dataOf(api.GET('/api/v1/data-management/lineage/{kind}/{id}', { params: { path, query } })),
    placeholderData: keepPreviousData,
  });
