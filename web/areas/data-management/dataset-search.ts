import { readListSearch, type ListSearch } from '../../ui/list-search.ts';

/** Search parameters of the list of datasets. `new` opens the form of a new dataset. */
export type DatasetSearch = ListSearch & { type?: string; status?: string; tags?: string; new?: boolean };

export function readDatasetSearch(search: Record<string, unknown>): DatasetSearch {
  const { type, status, tags } = search;
  return {
    ...readListSearch(search),
    ...(typeof type === 'string' ? { type } : {}),
    ...(typeof status === 'string' ? { status } : {}),
    ...(typeof tags === 'string' ? { tags } : {}),
    ...(search.new === true ? { new: true } : {}),
  };
}
