/** A requested part of a list: zero-based page, items per page. */
export type PageRequest = { page: number; size: number };

/** One page of a list, as the API sends it. */
export type Page<T> = {
  content: T[];
  page: number;
  size: number;
  totalElements: number;
  totalPages: number;
  first: boolean;
  last: boolean;
};

/** Wraps the items of one page with the totals of the list. */
export function toPage<T>(content: T[], { page, size }: PageRequest, totalElements: number): Page<T> {
  const totalPages = Math.ceil(totalElements / size);
  return { content, page, size, totalElements, totalPages, first: page === 0, last: page >= totalPages - 1 };
}

export type SortDirection = 'asc' | 'desc';

/** A parsed `sort=FIELD,asc|desc`. */
export type Sort<Field extends string> = { field: Field; direction: SortDirection };
