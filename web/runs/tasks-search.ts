import { readListSearch, type ListSearch } from '../ui/list-search.ts';

/** The search parameters of a list of tasks. */
export type TasksSearch = ListSearch & { status?: string };

export function readTasksSearch(search: Record<string, unknown>): TasksSearch {
  return { ...readListSearch(search), ...(typeof search.status === 'string' ? { status: search.status } : {}) };
}
