import { sql } from 'kysely';
import { parentOf } from '../../../kernel/file-path.ts';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { prepared } from '../../../storage/database/prepared.ts';
import { jsonRowsOf, jsonRowsTable, keysTable, rowsTable } from '../../../storage/database/sql.ts';
import { rangeColumns, rangesOf } from './path-ranges.ts';
import type { DirectoriesTable, FoldersTable } from '../../../storage/database/tables/datasets.ts';

/** A change of the content below a folder. */
export type FolderDelta = {
  path: string;
  parent: string;
  name_key: string;
  files: number;
  bytes: number;
  directories: number;
};

const placeColumns = { path: 'text', parent: 'text' } as const;

const listAt = prepared<{ dataset: string; paths: string }, { path: string }>(
  (db, p) => sql<{
    path: string;
  }>`select wanted.path from ${jsonRowsTable(db, placeColumns, p('paths'), 'wanted')} where (
    select path from folders where dataset_id = ${p('dataset')} and parent = wanted.parent and path = wanted.path
  ) is not null`,
);

const listNear = prepared<{ dataset: string; ranges: string; limit: number }, { path: string }>(
  (db, p) => sql<{ path: string }>`
    select folders.path from ${jsonRowsTable(db, rangeColumns, p('ranges'), 'wanted')} cross join folders
    where folders.dataset_id = ${p('dataset')}
      and folders.parent = wanted.parent and folders.path between wanted.low and wanted.high
    limit ${p('limit')}`,
);

/** Which of the paths are folders of the current version. */
export async function listFoldersAt(db: Db, datasetId: string, paths: readonly string[]): Promise<string[]> {
  const ranges = rangesOf(db, paths);
  if (ranges !== undefined) {
    const near = await listNear(db, { dataset: datasetId, ...ranges });
    if (near.length < ranges.limit) {
      const wanted = new Set(paths);
      return near.flatMap(({ path }) => (wanted.has(path) ? [path] : []));
    }
  }
  const rows = await listAt(db, { dataset: datasetId, paths: jsonRowsOf(placeColumns, withParents(paths)) });
  return rows.map((row) => row.path);
}

/**
 * Paths with their parents, so that a condition on both matches either index of folders completely, whichever PostgreSQL picks.
 */
function withParents(paths: readonly string[]): { path: string; parent: string }[] {
  return paths.map((path) => ({ path, parent: parentOf(path) }));
}

const deltaColumns = {
  path: 'text',
  parent: 'text',
  name_key: 'text',
  files: 'integer',
  bytes: 'integer',
  directories: 'integer',
} as const;

const addDeltas = prepared<{ dataset: string; deltas: string }, unknown>(
  (db, p) => sql`insert into folders (dataset_id, path, parent, name_key, file_count, total_size_bytes, directory_count)
    select cast(${p('dataset')} as text), path, parent, name_key, files, bytes, directories
    from ${jsonRowsTable(db, deltaColumns, p('deltas'))} where true
    on conflict (dataset_id, path) do update set
      file_count = folders.file_count + excluded.file_count,
      total_size_bytes = folders.total_size_bytes + excluded.total_size_bytes,
      directory_count = folders.directory_count + excluded.directory_count`,
);

/** Changes the counts of folders; creates missing ones. */
export async function addToFolders(tx: Tx, datasetId: string, deltas: readonly FolderDelta[]): Promise<void> {
  await addDeltas(tx, { dataset: datasetId, deltas: jsonRowsOf(deltaColumns, deltas) });
}

/** Deletes the given folders that are empty and not explicit. */
export async function deleteEmptyFolders(tx: Tx, datasetId: string, paths: readonly string[]): Promise<void> {
  await sql`delete from folders where (dataset_id, parent, path) in (
    select cast(${datasetId} as text), parent, path from ${rowsTable(tx, placeColumns, withParents(paths), 'wanted')}
  ) and file_count = 0 and directory_count = 0`.execute(tx);
}

export async function findFolder(db: Db, datasetId: string, path: string): Promise<FoldersTable | undefined> {
  return db
    .selectFrom('folders')
    .selectAll()
    .where('dataset_id', '=', datasetId)
    .where('path', '=', path)
    .executeTakeFirst();
}

/** The explicitly created folder of the current version at a path. */
export async function findDirectory(db: Db, datasetId: string, path: string): Promise<DirectoriesTable | undefined> {
  return db
    .selectFrom('directories')
    .selectAll()
    .where('dataset_id', '=', datasetId)
    .where('ended_version', 'is', null)
    .where('path', '=', path)
    .executeTakeFirst();
}

/** Stores explicitly created folders, a few hundred per call. */
export async function insertDirectories(tx: Tx, rows: readonly DirectoriesTable[]): Promise<void> {
  await tx.insertInto('directories').values(rows).execute();
}

/** The first `limit` explicitly created folders of the current version with `from <= path < before`. */
export async function listDirectoriesBetween(
  db: Db,
  datasetId: string,
  range: { from: string; before: string | null },
  limit: number,
): Promise<DirectoriesTable[]> {
  let query = db
    .selectFrom('directories')
    .selectAll()
    .where('dataset_id', '=', datasetId)
    .where('ended_version', 'is', null)
    .where('path', '>=', range.from);
  if (range.before !== null) query = query.where('path', '<', range.before);
  return query.orderBy('path').limit(limit).execute();
}

/** Explicit folders of the current version that an older one lacks. */
export async function listDirectoriesAddedSince(
  db: Db,
  { datasetId, version }: { datasetId: string; version: number },
  limit: number,
): Promise<DirectoriesTable[]> {
  return db
    .selectFrom('directories')
    .selectAll()
    .where('dataset_id', '=', datasetId)
    .where('ended_version', 'is', null)
    .where('added_version', '>', version)
    .orderBy('path')
    .limit(limit)
    .execute();
}

/** Explicit folders of an older version that `current` lacks, after `after` in path order. */
export async function listDirectoriesEndedSince(
  db: Db,
  { datasetId, version, current }: { datasetId: string; version: number; current: number },
  after: string,
  limit: number,
): Promise<DirectoriesTable[]> {
  return db
    .selectFrom('directories')
    .selectAll()
    .where('dataset_id', '=', datasetId)
    .where('added_version', '<=', version)
    .where('ended_version', '>', version)
    .where('ended_version', '<=', current)
    .where('path', '>', after)
    .orderBy('path')
    .limit(limit)
    .execute();
}

export async function endDirectories(tx: Tx, rowIds: readonly string[], version: number): Promise<void> {
  await tx
    .updateTable('directories')
    .set({ ended_version: version })
    .where('row_id', 'in', sql<string>`${keysTable(tx, rowIds)}`)
    .execute();
}

export async function deleteDirectoryRows(tx: Tx, rowIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('directories')
    .where('row_id', 'in', sql<string>`${keysTable(tx, rowIds)}`)
    .execute();
}
