import { readListSearch, type ListSearch } from '../../ui/list-search.ts';

/** Initial values of a new task: its source and its template. */
export type NewTaskSearch = { dataset?: string; template?: string };

export function readNewTaskSearch({ dataset, template }: Record<string, unknown>): NewTaskSearch {
  return {
    ...(typeof dataset === 'string' ? { dataset } : {}),
    ...(typeof template === 'string' ? { template } : {}),
  };
}

/** Search parameters of the list of templates. */
export type TemplatesSearch = ListSearch & { type?: string; own?: boolean };

export function readTemplatesSearch(search: Record<string, unknown>): TemplatesSearch {
  return {
    ...readListSearch(search),
    ...(typeof search.type === 'string' ? { type: search.type } : {}),
    ...(typeof search.own === 'boolean' ? { own: search.own } : {}),
  };
}

/** The shown version of a template, and the dataset it is tried on. */
export type TemplateSearch = { version?: number; dataset?: string };

export function readTemplateSearch({ version, dataset }: Record<string, unknown>): TemplateSearch {
  return {
    ...(typeof version === 'number' && Number.isInteger(version) && version > 0 ? { version } : {}),
    ...(typeof dataset === 'string' ? { dataset } : {}),
  };
}
