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

/** Search parameters of the comparison of a table in two versions; `key` are the columns that tell which rows belong together. */
export type RowDiffSearch = {
  from?: number;
  to?: number;
  path: string;
  fromPath?: string;
  /** Of a workbook. */
  sheet?: string;
  key?: string[];
  change?: (typeof rowChanges)[number];
  offset?: number;
};

export function readRowDiffSearch(search: Record<string, unknown>): RowDiffSearch {
  const { from, to, path, fromPath, sheet, key, offset } = search;
  const change = rowChanges.find((kind) => kind === search.change);
  const columns = Array.isArray(key) ? key.filter((one) => typeof one === 'string' && one !== '') : [];
  return {
    path: typeof path === 'string' ? path : '',
    ...(isVersion(from) ? { from } : {}),
    ...(isVersion(to) ? { to } : {}),
    ...(typeof fromPath === 'string' ? { fromPath } : {}),
    ...(typeof sheet === 'string' && sheet !== '' ? { sheet } : {}),
    ...(columns.length > 0 ? { key: columns } : {}),
    ...(change === undefined ? {} : { change }),
    ...(typeof offset === 'number' && Number.isInteger(offset) && offset > 0 ? { offset } : {}),
  };
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
