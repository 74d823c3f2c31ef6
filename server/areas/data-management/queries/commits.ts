import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { executeForEach, insertRows } from '../../../storage/database/insert-rows.ts';
import { prepared } from '../../../storage/database/prepared.ts';
import type { ReasonColumns } from '../../../kernel/sentences/index.ts';
import { dialectOf, jsonRowsOf, jsonRowsTable, keysTable } from '../../../storage/database/sql.ts';
import { rangeColumns, rangesOf } from './path-ranges.ts';
import type { FilesTable } from '../../../storage/database/tables/datasets.ts';

/** The dataset's state before a commit. */
export type DatasetState = {
  id: string;
  status: string;
  version: number;
  open_upload_id: string | null;
  file_count: number;
  completed_count: number;
  total_size_bytes: number;
};

const findLocked = prepared<{ id: string }, DatasetState>((db, p) => {
  const query = db
    .selectFrom('datasets')
    .select(['id', 'status', 'version', 'open_upload_id', 'file_count', 'completed_count', 'total_size_bytes'])
    .where('id', '=', p('id'))
    .where('deleted_at', 'is', null);
  return dialectOf(db) === 'postgres' ? query.forUpdate() : query;
});

/** Reads a dataset; where writers run concurrently, also blocks every other commit until this transaction ends. */
export async function lockDataset(tx: Tx, id: string): Promise<DatasetState | undefined> {
  return (await findLocked(tx, { id }))[0];
}

const pathColumns = { path: 'text' } as const;

const listAt = prepared<{ dataset: string; paths: string }, FilesTable>((db, p) => {
  const wanted = jsonRowsTable(db, pathColumns, p('paths'), 'wanted');
  const current = sql`files.dataset_id = ${p('dataset')} and files.ended_version is null`;
  return dialectOf(db) === 'sqlite'
    ? sql<FilesTable>`select files.* from ${wanted} cross join files where ${current} and files.path = wanted.path`
    : sql<FilesTable>`select found.* from ${wanted} cross join lateral (
        select * from files where ${current} and files.path >= wanted.path order by files.path limit 1
      ) as found where found.path = wanted.path`;
});

const listNear = prepared<{ dataset: string; ranges: string; limit: number }, FilesTable>(
  (db, p) => sql<FilesTable>`
    select files.* from ${jsonRowsTable(db, rangeColumns, p('ranges'), 'wanted')} cross join files
    where files.dataset_id = ${p('dataset')} and files.ended_version is null
      and files.parent = wanted.parent and files.path between wanted.low and wanted.high
    limit ${p('limit')}`,
);

/**
 * The current files at any of the paths. PostgreSQL looks for the first file from each path on instead of the one at the path:
 * only the index in path order can answer that. With a plain condition and without fresh statistics it picks another index and
 * walks the whole dataset for each path (100,000 new files took 450 s instead of 13).
 */
export async function listCurrentFilesAt(db: Db, datasetId: string, paths: readonly string[]): Promise<FilesTable[]> {
  const ranges = rangesOf(db, paths);
  if (ranges !== undefined) {
    const near = await listNear(db, { dataset: datasetId, ...ranges });
    if (near.length < ranges.limit) {
      const wanted = new Set(paths);
      return near.filter(({ path }) => wanted.has(path));
    }
  }
  const rows = paths.map((path) => ({ path }));
  return listAt(db, { dataset: datasetId, paths: jsonRowsOf(pathColumns, rows) });
}

/** The current rows of files by id; ids without one are omitted. */
export async function listCurrentFiles(db: Db, datasetId: string, fileIds: readonly string[]): Promise<FilesTable[]> {
  const rows = await db
    .selectFrom('files')
    .selectAll()
    .where('file_id', 'in', sql<string>`${keysTable(db, fileIds)}`)
    .where('ended_version', 'is', null)
    .execute();
  return rows.filter((row) => row.dataset_id === datasetId);
}

/** The first `limit` current files in path order with `from <= path < before`. */
export async function listCurrentFilesBetween(
  db: Db,
  datasetId: string,
  range: { from: string; before: string | null },
  limit: number,
): Promise<FilesTable[]> {
  let query = db
    .selectFrom('files')
    .selectAll()
    .where('dataset_id', '=', datasetId)
    .where('ended_version', 'is', null)
    .where('path', '>=', range.from);
  if (range.before !== null) query = query.where('path', '<', range.before);
  return query.orderBy('path').limit(limit).execute();
}

/** Stores file rows; `ended_version` is null in all of them. */
export const insertFiles: (tx: Tx, rows: readonly FilesTable[]) => Promise<void> = insertRows('files', {
  row_id: 'text',
  file_id: 'text',
  dataset_id: 'text',
  path: 'text',
  parent: 'text',
  search_text: 'text',
  original_name: 'text',
  file_type: 'text',
  content_type: 'text',
  size_bytes: 'integer',
  status: 'text',
  error: 'text',
  error_sentence: 'text',
  blob_id: 'text',
  origin: 'text',
  uploaded_at: 'text',
  uploaded_by: 'text',
  updated_at: 'text',
  added_version: 'integer',
});

/**
 * Ends current rows at a version; earlier versions keep them. SQLite finds each row by its path, whose index pages were just
 * read: by id, it would read two more pages per row, scattered over the dataset.
 */
export async function endFiles(tx: Tx, rows: readonly FilesTable[], version: number): Promise<void> {
  if (dialectOf(tx) === 'sqlite') {
    const end = `update files set ended_version = ?
      where dataset_id = ? and path = ? and ended_version is null and +row_id = ?`;
    await executeForEach(
      tx,
      end,
      rows.map((row) => [version, row.dataset_id, row.path, row.row_id]),
    );
    return;
  }
  const ids = rows.map((row) => row.row_id);
  await tx
    .updateTable('files')
    .set({ ended_version: version })
    .where('row_id', 'in', sql<string>`${keysTable(tx, ids)}`)
    .execute();
}

export async function deleteFileRows(tx: Tx, rowIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('files')
    .where('row_id', 'in', sql<string>`${keysTable(tx, rowIds)}`)
    .execute();
}

/** All rows of files in every version, with their blobs. */
export async function listRowsOfFiles(db: Db, datasetId: string, fileIds: readonly string[]): Promise<FilesTable[]> {
  const rows = await db
    .selectFrom('files')
    .selectAll()
    .where('file_id', 'in', sql<string>`${keysTable(db, fileIds)}`)
    .execute();
  return rows.filter((row) => row.dataset_id === datasetId);
}

export async function updateFileStatus(
  tx: Tx,
  rowId: string,
  values: { status: string; updated_at: string } & ReasonColumns<'error'>,
): Promise<void> {
  await tx.updateTable('files').set(values).where('row_id', '=', rowId).execute();
}

/** The dataset's columns that a commit changes. */
export type DatasetContent = {
  version: number;
  open_upload_id: string | null;
  file_count: number;
  completed_count: number;
  total_size_bytes: number;
  updated_at: string;
  updated_by: string;
};

const updateContent = prepared<DatasetContent & { id: string }, unknown>(
  (_, p) => sql`update datasets set
      version = ${p('version')},
      open_upload_id = (select id from uploads where id = ${p('open_upload_id')} and ended_at is null),
      file_count = ${p('file_count')}, completed_count = ${p('completed_count')},
      total_size_bytes = ${p('total_size_bytes')}, updated_at = ${p('updated_at')}, updated_by = ${p('updated_by')}
    where id = ${p('id')}`,
);

/** Writes a commit's changes to the dataset row; an upload that has ended meanwhile holds no version open. */
export async function updateDatasetContent(tx: Tx, id: string, content: DatasetContent): Promise<void> {
  await updateContent(tx, { ...content, id });
}

/** Closes a version if an upload holds it open. */
export async function closeVersion(tx: Tx, datasetId: string, version: number): Promise<void> {
  await tx
    .updateTable('datasets')
    .set({ open_upload_id: null })
    .where('id', '=', datasetId)
    .where('version', '=', version)
    .where('open_upload_id', 'is not', null)
    .execute();
}

/** Changes the completed count of a dataset without a new version. */
export async function addToCompletedCount(tx: Tx, id: string, count: number): Promise<void> {
  await tx
    .updateTable('datasets')
    .set((eb) => ({ completed_count: eb('completed_count', '+', count) }))
    .where('id', '=', id)
    .execute();
}
