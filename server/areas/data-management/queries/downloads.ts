import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../storage/database/database.ts';
import { keysTable } from '../../../storage/database/sql.ts';
import type { DirectoriesTable, FilesTable } from '../../../storage/database/tables/datasets.ts';

/** The columns of a file that a download needs; its size is that of its content. */
export type DownloadRow = Pick<FilesTable, 'path' | 'status' | 'blob_id' | 'uploaded_at'> & {
  size_bytes: number;
  crc32: number;
};

/** Files of one version, at any depth below a folder ('' is the root). */
export type DownloadFilter = { datasetId: string; version: number; fileType?: string | undefined; below: string };

/** A file by id at a version. */
export async function findDownload(
  db: Db,
  { datasetId, fileId, version }: { datasetId: string; fileId: string; version: number },
): Promise<(DownloadRow & Pick<FilesTable, 'content_type' | 'error'>) | undefined> {
  return db
    .selectFrom('files')
    .leftJoin('blobs', 'blobs.id', 'files.blob_id')
    .select(['path', 'status', 'error', 'content_type', 'blob_id', 'uploaded_at', 'files.size_bytes'])
    .select((eb) => eb.fn.coalesce('blobs.crc32', eb.lit(0)).as('crc32'))
    .where('files.file_id', '=', fileId)
    .where('files.dataset_id', '=', datasetId)
    .where('files.added_version', '<=', version)
    .where((eb) => eb.or([eb('files.ended_version', 'is', null), eb('files.ended_version', '>', version)]))
    .executeTakeFirst();
}

/**
 * The files after `after` in path order: up to and including `upTo`, or the first `limit`. Two index ranges, one over current
 * rows and one over ended ones: no single index covers both, and a version that is current when a download starts may be an old
 * one before it ends.
 */
export async function listDownloads(
  db: Db,
  { datasetId, version, fileType, below }: DownloadFilter,
  after: string,
  until: { upTo: string } | { limit: number },
): Promise<DownloadRow[]> {
  const conditions = [sql`dataset_id = ${datasetId}`, sql`added_version <= ${version}`, sql`path > ${after}`];
  if ('upTo' in until) conditions.push(sql`path <= ${until.upTo}`);
  if (fileType !== undefined) conditions.push(sql`file_type = ${fileType}`);
  // '0' follows '/' in byte order: everything below the folder lies between the two.
  if (below !== '') conditions.push(sql`path >= ${`${below}/`}`, sql`path < ${`${below}0`}`);
  const where = sql.join(conditions, sql` and `);
  const limit = 'limit' in until ? sql`limit ${until.limit}` : sql``;
  // Each half has its own order and limit: otherwise PostgreSQL would read the rest of the dataset for each page.
  const half = (ended: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`select * from (select ${columns} from files where ${ended} and ${where} order by path ${limit}) as half`;
  const result = await sql<DownloadRow>`
    select page.*, coalesce(blobs.crc32, 0) as crc32 from (
      ${half(sql`ended_version is null`)}
      union all
      ${half(sql`ended_version is not null and ended_version > ${version}`)}
      order by path ${limit}
    ) as page left join blobs on blobs.id = page.blob_id order by page.path`.execute(db);
  return result.rows;
}

/** Files by id, in path order; ids that the version doesn't have are omitted. */
export async function listDownloadsById(
  db: Db,
  { datasetId, version }: { datasetId: string; version: number },
  fileIds: readonly string[],
): Promise<(DownloadRow & Pick<FilesTable, 'file_id' | 'file_type'>)[]> {
  // The cross join fixes SQLite's join order: by id, not the whole dataset by path.
  const result = await sql<DownloadRow & Pick<FilesTable, 'file_id' | 'file_type'>>`
    select ${columns}, file_id, file_type, coalesce(blobs.crc32, 0) as crc32
    from ${keysTable(db, fileIds)} as wanted cross join files left join blobs on blobs.id = files.blob_id
    where files.file_id = wanted.value and dataset_id = ${datasetId} and added_version <= ${version}
      and (ended_version is null or ended_version > ${version})
    order by path`.execute(db);
  return result.rows;
}

const columns = sql`path, status, blob_id, uploaded_at, files.size_bytes`;

/** Explicit folders of a version after `after` in path order that contain no complete file and no other explicit folder. */
export async function listEmptyDirectories(
  db: Db,
  { datasetId, version, below }: DownloadFilter,
  after: string,
  until: { upTo: string } | { limit: number },
): Promise<Pick<DirectoriesTable, 'path' | 'created_at'>[]> {
  const alive = (table: string): RawBuilder<boolean> => {
    const [added, ended] = [sql.ref(`${table}.added_version`), sql.ref(`${table}.ended_version`)];
    return sql<boolean>`${added} <= ${version} and (${ended} is null or ${ended} > ${version})`;
  };
  const inside = (table: string): RawBuilder<boolean> => {
    const [dataset, path] = [sql.ref(`${table}.dataset_id`), sql.ref(`${table}.path`)];
    return sql<boolean>`${dataset} = ${datasetId} and ${path} > folder.path || '/' and ${path} < folder.path || '0'`;
  };
  const last = 'upTo' in until ? sql`and folder.path <= ${until.upTo}` : sql``;
  const prefix =
    below === ''
      ? sql``
      : sql`and (folder.path = ${below} or folder.path > ${`${below}/`} and folder.path < ${`${below}0`})`;
  const result = await sql<Pick<DirectoriesTable, 'path' | 'created_at'>>`
    select folder.path, folder.created_at from directories as folder
    where folder.dataset_id = ${datasetId} and ${alive('folder')} and folder.path > ${after} ${last} ${prefix}
      and not exists (select 1 from files as file
        where ${inside('file')} and file.ended_version is null and file.added_version <= ${version} and file.status = 'COMPLETED')
      and not exists (select 1 from files as file
        where ${inside('file')} and file.ended_version is not null and ${alive('file')} and file.status = 'COMPLETED')
      and not exists (select 1 from directories as child where ${inside('child')} and ${alive('child')})
    order by folder.path ${'limit' in until ? sql`limit ${until.limit}` : sql``}`.execute(db);
  return result.rows;
}
