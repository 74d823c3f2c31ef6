import { readListSearch, type ListSearch } from '../../ui/list-search.ts';

/** Search parameters of a dataset's files: open folder, filters, version. */
export type FilesSearch = ListSearch & { path?: string; status?: string; fileType?: string; version?: number };

export function readFilesSearch(search: Record<string, unknown>): FilesSearch {
  const { path, status, fileType, version } = search;
  return {
    ...readListSearch(search),
    ...(typeof path === 'string' && path !== '' ? { path } : {}),
    ...(typeof status === 'string' ? { status } : {}),
    ...(typeof fileType === 'string' ? { fileType } : {}),
    ...(typeof version === 'number' && Number.isInteger(version) && version > 0 ? { version } : {}),
  };
}
