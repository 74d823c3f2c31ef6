import { readListSearch, type ListSearch } from '../../../ui/list-search.ts';

export const changeKinds = ['ADDED', 'CHANGED', 'MOVED', 'REMOVED'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** Search parameters of the comparison of two versions. */
export type DiffSearch = Pick<ListSearch, 'page' | 'size'> & { from?: number; to?: number; change?: ChangeKind };

export function readDiffSearch(search: Record<string, unknown>): DiffSearch {
  const { page, size } = readListSearch(search);
  const { from, to } = search;
  const change = changeKinds.find((kind) => kind === search.change);
  return {
    ...(page === undefined ? {} : { page }),
    ...(size === undefined ? {} : { size }),
    ...(isVersion(from) ? { from } : {}),
    ...(isVersion(to) ? { to } : {}),
    ...(change === undefined ? {} : { change }),
  };
}

function isVersion(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

const rowChanges = ['ADDED', 'REMOVED', 'CHANGED'] as const;

/** Search parameters of the comparison of a table in two versions; `key` are the columns by which rows are matched. */
export type RowDiffSearch = {
  from?: number;
  to?: number;
  path: string;
  fromPath?: string;
  /** Sheet of a workbook. */
  sheet?: string;
  key?: string[];
  change?: (typeof rowChanges)[number];
  offset?: number;
};

export function readRowDiffSearch(search: Record<string, unknown>): RowDiffSearch {
  const { from, to, path, fromPath, sheet, key, offset } = search;
  const change = rowChanges.find((kind) => kind === search.change);
  return {
    path: typeof path === 'string' ? path : '',
    ...(isVersion(from) ? { from } : {}),
    ...(isVersion(to) ? { to } : {}),
    ...(typeof fromPath === 'string' ? { fromPath } : {}),
    ...(typeof sheet === 'string' && sheet !== '' ? { sheet } : {}),
    ...(key === undefined ? {} : { key: readKey(key) }),
    ...(change === undefined ? {} : { change }),
    ...(typeof offset === 'number' && Number.isInteger(offset) && offset > 0 ? { offset } : {}),
  };
}

/**
 * The key columns in an address: a single one as it is, a list as JSON. A value that is not a name is kept as text; the service reports
 * that no column has that name.
 */
function readKey(key: unknown): string[] {
  const named = (Array.isArray(key) ? (key as unknown[]) : [key]).filter((one) => one !== '' && one !== null);
  return [...new Set(named.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))))];
}

/** Search parameters of the list of purges; `report` is the open one. */
export type PurgesSearch = Pick<ListSearch, 'page' | 'size'> & { report?: string };

export function readPurgesSearch(search: Record<string, unknown>): PurgesSearch {
  const { page, size } = readListSearch(search);
  return {
    ...(page === undefined ? {} : { page }),
    ...(size === undefined ? {} : { size }),
    ...(typeof search.report === 'string' ? { report: search.report } : {}),
  };
}
