import { sql } from 'kysely';
import type { SortDirection } from '../../../kernel/page.ts';
import type { Db } from '../../../storage/database/database.ts';
import { contains, dialectOf } from '../../../storage/database/sql.ts';
import type { FoldersTable } from '../../../storage/database/tables/datasets.ts';

/** The folders directly in `parent`, optionally only those whose name contains the keyword. */
export type FolderFilter = { datasetId: string; parent: string; keyword?: string | undefined };

export type FolderFigures = Pick<FoldersTable, 'path' | 'file_count' | 'total_size_bytes'>;

/** Folders of the current version by path. */
export async function listFoldersIn(
  db: Db,
  { datasetId, parent, keyword }: FolderFilter,
  direction: SortDirection,
  { limit, offset }: { limit: number; offset: number },
): Promise<FolderFigures[]> {
  let query = db
    .selectFrom('folders')
    .select(['path', 'file_count', 'total_size_bytes'])
    .where('dataset_id', '=', datasetId)
    .where('parent', '=', parent);
  if (keyword !== undefined) query = query.where(contains(db, sql.ref('name_key'), keyword));
  return query.orderBy('path', direction).limit(limit).offset(offset).execute();
}

/** Number of matching folders of the current version, and of the files below them. */
export async function countFoldersIn(
  db: Db,
  { datasetId, parent, keyword }: FolderFilter,
): Promise<{ folders: number; files: number }> {
  let query = db
    .selectFrom('folders')
    .select((eb) => [
      eb.fn.countAll<number>().as('folders'),
      eb.fn.coalesce(eb.fn.sum<number>('file_count'), sql<number>`0`).as('files'),
    ])
    .where('dataset_id', '=', datasetId)
    .where('parent', '=', parent);
  if (keyword !== undefined) query = query.where(contains(db, sql.ref('name_key'), keyword));
  return query.executeTakeFirstOrThrow();
}

/**
 * All folders directly in `parent` at an older version, by path; their counts are computed from that version's files and
 * directories.
 */
export async function listFoldersOfVersion(
  db: Db,
  { datasetId, parent }: Omit<FolderFilter, 'keyword'>,
  version: number,
): Promise<FolderFigures[]> {
  const start = parent === '' ? '' : `${parent}/`;
  const rest = sql`substr(path, ${[...start].length + 1})`;
  const segment =
    dialectOf(db) === 'sqlite'
      ? sql`substr(rest, 1, instr(rest || '/', '/') - 1)`
      : sql`split_part(rest, '/', 1) collate "C"`;
  const within = sql`dataset_id = ${datasetId} and added_version <= ${version}
    and (ended_version is null or ended_version > ${version})
    and (${start} = '' or (path >= ${start} and path < ${`${parent}0`}))`;
  const slash = dialectOf(db) === 'sqlite' ? sql`instr(rest, '/')` : sql`strpos(rest, '/')`;
  const result = await sql<FolderFigures>`
    select ${start} || name as path, sum(files) as file_count, sum(bytes) as total_size_bytes from (
      select ${segment} as name, 1 as files, size_bytes as bytes
      from (select ${rest} as rest, size_bytes from files where ${within}) as below where ${slash} > 0
      union all
      select ${segment} as name, 0 as files, 0 as bytes
      from (select ${rest} as rest from directories where ${within}) as below
    ) as parts group by name order by name`.execute(db);
  return result.rows;
}
