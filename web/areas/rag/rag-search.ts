import { readListSearch, type ListSearch } from '../../ui/list-search.ts';

/** Search parameters of the list of knowledge bases. `new` opens the form of a new one. */
export type BasesSearch = ListSearch & { new?: boolean };

export function readBasesSearch(search: Record<string, unknown>): BasesSearch {
  return { ...readListSearch(search), ...(search.new === true ? { new: true } : {}) };
}

export const documentStatuses = ['PENDING', 'PROCESSING', 'COMPLETED', 'PARTIAL', 'FAILED'] as const;
export type DocumentStatus = (typeof documentStatuses)[number];

/** Search parameters of the documents of a knowledge base. */
export type DocumentsSearch = ListSearch & { status?: DocumentStatus };

export function readDocumentsSearch(search: Record<string, unknown>): DocumentsSearch {
  const status = documentStatuses.find((one) => one === search.status);
  return { ...readListSearch(search), ...(status === undefined ? {} : { status }) };
}
