import type { PageRequest, Sort, SortDirection } from '../../kernel/page.ts';

/** `FIELD,asc|desc`, validated by its schema → the column and direction to order by. */
export function parseSort<Field extends string, Column extends string>(
  columns: Readonly<Record<Field, Column>>,
  sort: string | undefined,
  defaultColumn: Column,
  defaultDirection: SortDirection,
): Sort<Column> {
  const [field, direction] = (sort ?? '').split(',');
  if (field === undefined || !Object.hasOwn(columns, field))
    return { field: defaultColumn, direction: defaultDirection };
  return { field: columns[field as Field], direction: direction === 'desc' ? 'desc' : 'asc' };
}

/** Number of items before a page; past 2^53 inexact, but then beyond every list. */
export function offsetOf({ page, size }: PageRequest): number {
  return page * size;
}
