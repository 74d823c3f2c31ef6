import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../storage/database/database.ts';
import { keysTable } from '../../../storage/database/sql.ts';
import type { FilesTable } from '../../../storage/database/tables/datasets.ts';

/** Selects files of a version: those below a folder (empty: all), of some types (none: all). */
export type SourceSelection = {
  datasetId: string;
  version: number;
  prefix: string;
  fileTypes: readonly string[];
};

export type SourceFileRow = Pick<FilesTable, 'file_id' | 'path' | 'size_bytes' | 'blob_id' | 'status'>;

/** Files of a version in path order after `after`; each half of the union has its own index. */
export async function listSourceFiles(
  db: Db,
  { datasetId, version, prefix, fileTypes }: SourceSelection,
  after: string,
  limit: number,
): Promise<SourceFileRow[]> {
  const chosen = chosenBy(db, { prefix, fileTypes });
  const half = (ended: RawBuilder<unknown>): RawBuilder<unknown> => sql`select * from (
      select file_id, path, size_bytes, blob_id, status from files
      where dataset_id = ${datasetId} and path > ${after} and added_version <= ${version} and ${ended} ${chosen}
      order by path limit ${limit}) as half`;
  const { rows } = await sql<SourceFileRow>`
    ${half(sql`ended_version is null`)}
    union all
    ${half(sql`ended_version is not null and ended_version > ${version}`)}
    order by path limit ${limit}`.execute(db);
  return rows;
}

/** The files of a version at some paths, in any order. */
export async function listFilesAt(
  db: Db,
  { datasetId, version }: Pick<SourceSelection, 'datasetId' | 'version'>,
  paths: readonly string[],
): Promise<SourceFileRow[]> {
  const half = (ended: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select file_id, path, size_bytes, blob_id, status from files
    where dataset_id = ${datasetId} and path in ${keysTable(db, paths)} and added_version <= ${version} and ${ended}`;
  const { rows } = await sql<SourceFileRow>`
    ${half(sql`ended_version is null`)}
    union all
    ${half(sql`ended_version is not null and ended_version > ${version}`)}`.execute(db);
  return rows;
}

/** Which of these contents the current version has, at any path. */
export async function findCurrentBlobs(
  db: Db,
  datasetId: string,
  blobIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ blob_id: string }>`select blob_id from files
    where dataset_id = ${datasetId} and ended_version is null and blob_id in ${keysTable(db, blobIds)}`.execute(db);
  return new Set(rows.map(({ blob_id }) => blob_id));
}

/** Number and size of the selected files by type, in the order of the types. */
export async function countSourceFiles(
  db: Db,
  { datasetId, version, ...selection }: SourceSelection,
): Promise<{ file_type: string; files: number; size_bytes: number }[]> {
  const { rows } = await sql<{ file_type: string; files: number | string; size_bytes: number | string }>`
    select file_type, count(*) as files, sum(size_bytes) as size_bytes from files
    where dataset_id = ${datasetId} and added_version <= ${version}
      and (ended_version is null or ended_version > ${version}) ${chosenBy(db, selection)}
    group by file_type order by file_type`.execute(db);
  // PostgreSQL returns sums as text.
  return rows.map(({ file_type, files, size_bytes }) => ({
    file_type,
    files: Number(files),
    size_bytes: Number(size_bytes),
  }));
}

function chosenBy(db: Db, { prefix, fileTypes }: Pick<SourceSelection, 'prefix' | 'fileTypes'>): RawBuilder<unknown> {
  const below = prefix === '' ? sql`` : sql`and path >= ${`${prefix}/`} and path < ${`${prefix}0`}`;
  const types = fileTypes.length === 0 ? sql`` : sql`and file_type in ${keysTable(db, fileTypes)}`;
  return sql`${below} ${types}`;
}
