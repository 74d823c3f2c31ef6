import { sql, type RawBuilder } from 'kysely';
import type { Sort } from '../../../kernel/page.ts';
import type { Db } from '../../../storage/database/database.ts';
import { contains } from '../../../storage/database/sql.ts';
import type { FilesTable } from '../../../storage/database/tables/datasets.ts';
import type { FileWithHash } from './file-ranks.ts';

/** Filter of a file list. */
export type FileFilter = {
  datasetId: string;
  /** Null for the current one. */
  version: number | null;
  fileType?: string | undefined;
  status?: string | undefined;
  /** Normalised by `searchTextOf`. */
  keyword?: string | undefined;
  /** Files at any depth below this folder. */
  below?: string | undefined;
  /** Files directly in this folder; the keyword is searched after `nameStart` characters of the path. */
  level?: { parent: string; nameStart: number } | undefined;
};

export type FileOrder = Sort<'path' | 'size_bytes' | 'file_type' | 'status' | 'uploaded_at' | 'updated_at'>;

/** Files of a version in the given order. */
export async function listFiles(
  db: Db,
  filter: FileFilter,
  { column, direction }: FileOrder,
  { limit, offset }: { limit: number; offset: number },
): Promise<FileWithHash[]> {
  const way = direction === 'asc' ? sql`asc` : sql`desc`;
  // A path is unique within a version; elsewhere the id breaks ties.
  const order = column === 'path' ? sql`path ${way}` : sql`${sql.ref(column)} ${way}, file_id ${way}`;
  const plain = sql`select * from ${source(filter)} as files where ${conditions(db, filter)}`;
  const result = await sql<FileWithHash>`
    select page.*, blobs.sha256 from (
      ${column === 'path' && filter.version !== null ? inPathOrder(db, filter, way, offset + limit) : plain}
      order by ${order} limit ${limit} offset ${offset}
    ) as page left join blobs on blobs.id = page.blob_id order by ${order}`.execute(db);
  return result.rows;
}

export async function countFiles(db: Db, filter: FileFilter): Promise<number> {
  const result = await sql<{ count: number }>`
    select count(*) as count from ${source(filter)} as files where ${conditions(db, filter)}`.execute(db);
  return result.rows[0]?.count ?? 0;
}

/**
 * The first files of an older version: each half is read in the order of its own index, so that a page does not read all rows.
 * The plus keeps SQLite from using the index by versions.
 */
function inPathOrder(db: Db, filter: FileFilter, way: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
  const { datasetId, version } = filter;
  const half = (ended: RawBuilder<unknown>): RawBuilder<unknown> => sql`select * from (
      select * from files where dataset_id = ${datasetId} and path > '' and +added_version <= ${version} and ${ended} and ${conditions(db, filter)}
      order by path ${way} limit ${limit}) as half`;
  return sql`select * from (${half(sql`ended_version is null`)}
    union all ${half(sql`ended_version is not null and ended_version > ${version}`)}) as files`;
}

/** The rows of the filter's version. */
function source({ datasetId, version }: FileFilter): RawBuilder<unknown> {
  if (version === null) return sql`(select * from files where dataset_id = ${datasetId} and ended_version is null)`;
  return sql`(select * from files
      where dataset_id = ${datasetId} and ended_version is null and added_version <= ${version}
    union all select * from files
      where dataset_id = ${datasetId} and ended_version is not null and added_version <= ${version}
        and ended_version > ${version})`;
}

function conditions(db: Db, { fileType, status, keyword, below, level }: FileFilter): RawBuilder<unknown> {
  const all: RawBuilder<unknown>[] = [];
  if (fileType !== undefined) all.push(sql`file_type = ${fileType}`);
  if (status !== undefined) all.push(sql`status = ${status}`);
  if (below !== undefined && below !== '') all.push(sql`path >= ${`${below}/`} and path < ${`${below}0`}`);
  if (level !== undefined) all.push(sql`parent = ${level.parent}`);
  if (keyword !== undefined)
    all.push(
      level === undefined
        ? contains(db, sql`search_text`, keyword)
        : contains(db, sql`substr(search_text, ${level.nameStart + 1})`, keyword),
    );
  return all.length === 0 ? sql`true` : sql.join(all, sql` and `);
}

/** A file in its current state, or that at a version. */
export async function findFile(
  db: Db,
  datasetId: string,
  fileId: string,
  version: number | null,
): Promise<FileWithHash | undefined> {
  let query = db
    .selectFrom('files')
    .leftJoin('blobs', 'blobs.id', 'files.blob_id')
    .selectAll('files')
    .select('blobs.sha256')
    .where('files.file_id', '=', fileId)
    .where('files.dataset_id', '=', datasetId);
  query =
    version === null
      ? query.where('files.ended_version', 'is', null)
      : query
          .where('files.added_version', '<=', version)
          .where((eb) => eb.or([eb('files.ended_version', 'is', null), eb('files.ended_version', '>', version)]));
  return query.executeTakeFirst();
}

/** Files of a version in path order after `after`, for iterating over all of them. */
export async function listFilesAfter(db: Db, filter: FileFilter, after: string, limit: number): Promise<FilesTable[]> {
  const result = await sql<FilesTable>`
    select * from ${source(filter)} as files where ${conditions(db, filter)} and path > ${after}
    order by path limit ${limit}`.execute(db);
  return result.rows;
}
