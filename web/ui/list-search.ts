import type { Sort } from './data-table.tsx';

/** The search parameters of every list. */
export type ListSearch = { page?: number; size?: number; sort?: string; keyword?: string };

/** Parses a list's search parameters; invalid ones are ignored. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const { page, size, sort, keyword } = search;
  return {
    ...(isWhole(page) && page > 0 ? { page } : {}),
    ...(isWhole(size) && size >= 1 && size <= 1000 ? { size } : {}),
    ...(typeof sort === 'string' && /^\w+,(?:asc|desc)$/.test(sort) ? { sort } : {}),
    ...(typeof keyword === 'string' && keyword !== ''
      ? { keyword }
      : typeof keyword === 'number'
        ? { keyword: String(keyword) }
        : {}),
  };
}

export function readSort(sort: string | undefined): Sort | undefined {
  const [field, direction] = sort?.split(',') ?? [];
  return field === undefined || (direction !== 'asc' && direction !== 'desc') ? undefined : { field, direction };
}

export function writeSort({ field, direction }: Sort): string {
  return `${field},${direction}`;
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value);
}
