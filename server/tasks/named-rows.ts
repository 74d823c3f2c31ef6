import type { Sort } from '../kernel/page.ts';
import { searchTextOf } from '../kernel/search-text.ts';
import { parseName, parseText } from '../kernel/text-fields.ts';

/** The columns by which tasks and templates are searched and sorted. */
export type NamedColumns = { name: string; name_key: string; description: string; search_text: string };

/** Checks a name and its description. Throws INVALID_PARAMETER. */
export function namedColumnsOf(given: { name: string; description?: string }): NamedColumns {
  const name = parseName('name', given.name, 100);
  const description = parseText('description', given.description ?? '', 500);
  // U+FFFF is not a character: no keyword matches across name and description.
  const text = searchTextOf(`${name}\uFFFF${description}`);
  return { name, name_key: searchTextOf(name), description, search_text: text };
}

export type NamedOrder = Sort<'name_key' | 'created_at' | 'updated_at'>;

/** The fields by which lists of tasks and templates can be sorted. */
export const namedOrderColumns: Readonly<Record<'name' | 'createdAt' | 'updatedAt', NamedOrder['column']>> = {
  name: 'name_key',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};
