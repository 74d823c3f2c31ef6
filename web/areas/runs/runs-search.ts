import { readListSearch, type ListSearch } from '../../ui/list-search.ts';

/** The search parameters of the list of all runs: area, state and user. */
export type RunsSearch = Pick<ListSearch, 'page' | 'size'> & { area?: string; status?: string; by?: string };

export function readRunsSearch(search: Record<string, unknown>): RunsSearch {
  const { area, status, by } = search;
  return {
    ...readListSearch(search),
    ...(typeof area === 'string' && area !== '' ? { area } : {}),
    ...(typeof status === 'string' && status !== '' ? { status } : {}),
    ...(typeof by === 'string' && by !== '' ? { by } : typeof by === 'number' ? { by: String(by) } : {}),
  };
}
