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

/** Number of items before a page; inexact above 2^53, but no list is that long. */
export function offsetOf({ page, size }: PageRequest): number {
  return page * size;
}

/** One page of a list that is in memory. */
export function slicePage<T>(all: readonly T[], request: PageRequest): Page<T> {
  const offset = offsetOf(request);
  return toPage(all.slice(offset, offset + request.size), request, all.length);
}

export type SortDirection = 'asc' | 'desc';

/** Sort order of a list. */
export type Sort<Column> = { column: Column; direction: SortDirection };

/** Direction for a list with a single sort field; without `sort`, newest first. */
export function parseDirection(sort: string | undefined): SortDirection {
  return sort?.endsWith(',asc') === true ? 'asc' : 'desc';
}

/** A `sort=FIELD,asc|desc` that its schema has validated → the column of that field and the direction. */
export function parseSort<Field extends string, Column>(
  columns: Readonly<Record<Field, Column>>,
  sort: string | undefined,
  preset: Sort<NoInfer<Column>>,
): Sort<Column> {
  const [field = '', direction] = (sort ?? '').split(',');
  if (!Object.hasOwn(columns, field)) return preset;
  return { column: columns[field as Field], direction: direction === 'desc' ? 'desc' : 'asc' };
}
