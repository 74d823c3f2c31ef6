import { fileNameOf, parsePrefix } from '../../../kernel/file-path.ts';
import { offsetOf, parseSort, toPage } from '../../../kernel/page.ts';
import type { Database } from '../../../storage/database/database.ts';
import { toFile } from './file-record.ts';
import { listCounts } from '../queries/counts.ts';
import { listFilesByRank } from '../queries/file-ranks.ts';
import { countFiles, listFiles, type FileFilter, type FileOrder } from '../queries/files.ts';
import {
  countFoldersIn,
  listFoldersIn,
  listFoldersOfVersion,
  type FolderFigures,
  type FolderFilter,
} from '../queries/folder-lists.ts';
import { findVersion } from '../queries/versions.ts';
import { findFolder } from '../queries/folders.ts';
import type { FilePage, FilesQuery, Folder, fileSortFields } from '../schemas/files.ts';
import { searchTextOf } from '../../../kernel/search-text.ts';

/** The listed dataset; `version` null is the current one. */
type Subject = { id: string; fileCount: number; version: number | null };

type Range = { limit: number; offset: number };

const orderColumns: Readonly<Record<(typeof fileSortFields)[number], FileOrder['column']>> = {
  filePath: 'path',
  fileSize: 'size_bytes',
  fileType: 'file_type',
  status: 'status',
  uploadTime: 'uploaded_at',
  updatedAt: 'updated_at',
};

/** One page of the files of a dataset, at any depth. */
export async function listFilePage(db: Database, dataset: Subject, query: FilesQuery): Promise<FilePage> {
  const filter = filterOf(dataset, query);
  filter.below = parsePrefix('prefix', query.prefix ?? '');
  const order = orderOf(query);
  const ranked =
    dataset.version === null && filter.below === '' && filter.keyword === undefined && order.column === 'path';
  const total = ranked
    ? await countRanked(db, dataset, filter)
    : ((await countWhole(db, dataset, filter)) ?? (await countFiles(db.scan, filter)));
  const range = { limit: query.size, offset: offsetOf(query) };
  if (range.offset >= total) return toPage([], query, total);
  const rows = ranked
    ? await listRanked(db, filter, order, range, total)
    : await listFiles(db.scan, filter, order, range);
  return toPage(
    rows.map((row) => toFile(row, row.sha256)),
    query,
    total,
  );
}

/** One page of a folder's direct content: folders first, then files. */
export async function listFolderPage(db: Database, dataset: Subject, query: FilesQuery): Promise<FilePage> {
  const parent = parsePrefix('prefix', query.prefix ?? '');
  const filter = filterOf(dataset, query);
  filter.level = { parent, nameStart: parent === '' ? 0 : [...searchTextOf(parent)].length + 1 };
  const order = orderOf(query);
  const folders = await openFolderList(db, dataset, { datasetId: dataset.id, parent, keyword: filter.keyword });
  const total = folders.total + (await countLevel(db, dataset, filter, parent));
  const offset = offsetOf(query);
  const shownFolders = Math.max(0, Math.min(query.size, folders.total - offset));
  const directories =
    shownFolders === 0
      ? []
      : await folders.list(order.column === 'path' ? order.direction : 'asc', { limit: shownFolders, offset });
  const range = { limit: query.size - shownFolders, offset: Math.max(0, offset - folders.total) };
  const rows = range.limit === 0 || offset >= total ? [] : await listFiles(db.scan, filter, order, range);
  return {
    ...toPage(
      rows.map((row) => toFile(row, row.sha256)),
      query,
      total,
    ),
    directories: directories.map(toFolder),
  };
}

function filterOf(dataset: Subject, { fileType, status, keyword }: FilesQuery): FileFilter {
  return {
    datasetId: dataset.id,
    version: dataset.version,
    fileType: fileType?.toLowerCase(),
    status,
    keyword: keyword === undefined || keyword === '' ? undefined : searchTextOf(keyword),
  };
}

function orderOf(query: FilesQuery): FileOrder {
  return parseSort(orderColumns, query.sort, { column: 'path', direction: 'asc' });
}

/** The file count stored with a version; undefined for a part of it. */
async function countWhole(db: Database, dataset: Subject, filter: FileFilter): Promise<number | undefined> {
  const { below, fileType, status, keyword } = filter;
  if (dataset.version === null || below !== '') return undefined;
  if (fileType !== undefined || status !== undefined || keyword !== undefined) return undefined;
  return (await findVersion(db.read, dataset.id, dataset.version))?.file_count;
}

/** Number of current files by type and status, from the counters. */
async function countRanked(db: Database, dataset: Subject, { fileType, status }: FileFilter): Promise<number> {
  if (fileType === undefined && status === undefined) return dataset.fileCount;
  let sum = 0;
  for (const row of await listCounts(db.read, dataset.id)) {
    if (fileType !== undefined && row.file_type !== fileType) continue;
    if (status !== undefined && row.status !== status) continue;
    sum += row.file_count;
  }
  return sum;
}

/** Path order through the rank anchors; a descending page is an ascending one, reversed. */
async function listRanked(db: Database, filter: FileFilter, order: FileOrder, range: Range, total: number) {
  if (order.direction === 'asc') return listFilesByRank(db.read, filter, range);
  const end = total - range.offset;
  const offset = Math.max(0, end - range.limit);
  return (await listFilesByRank(db.read, filter, { limit: end - offset, offset })).reverse();
}

/** Number of files directly in a folder; without filters it follows from the folders' counts. */
async function countLevel(db: Database, dataset: Subject, filter: FileFilter, parent: string): Promise<number> {
  const { fileType, status, keyword } = filter;
  if (dataset.version !== null || fileType !== undefined || status !== undefined || keyword !== undefined)
    return countFiles(db.scan, filter);
  const below = parent === '' ? dataset.fileCount : (await findFolder(db.read, dataset.id, parent))?.file_count;
  if (below === undefined) return 0;
  return below - (await countFoldersIn(db.read, { datasetId: dataset.id, parent })).files;
}

type FolderList = { total: number; list(direction: 'asc' | 'desc', range: Range): Promise<FolderFigures[]> };

async function openFolderList(db: Database, dataset: Subject, filter: FolderFilter): Promise<FolderList> {
  if (dataset.version === null) {
    const { folders } = await countFoldersIn(db.scan, filter);
    return { total: folders, list: (direction, range) => listFoldersIn(db.scan, filter, direction, range) };
  }
  const { keyword } = filter;
  const all = await listFoldersOfVersion(db.scan, filter, dataset.version);
  const found =
    keyword === undefined ? all : all.filter(({ path }) => searchTextOf(fileNameOf(path)).includes(keyword));
  return {
    total: found.length,
    list: async (direction, { limit, offset }) =>
      (direction === 'asc' ? found : found.toReversed()).slice(offset, offset + limit),
  };
}

function toFolder({ path, file_count, total_size_bytes }: FolderFigures): Folder {
  return { path, name: fileNameOf(path), fileCount: file_count, totalSize: total_size_bytes };
}
