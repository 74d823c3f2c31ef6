import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../storage/database/database.ts';
import { keysTable } from '../../../storage/database/sql.ts';
import type { DatasetsTable, FilesTable, VersionsTable } from '../../../storage/database/tables/datasets.ts';

export type HubFileRow = Pick<FilesTable, 'file_id' | 'path' | 'size_bytes' | 'blob_id' | 'added_version'> & {
  sha256: string | null;
};

type FilesOfVersion = { datasetId: string; version: number };

/** Complete files of a version that meet a condition, in path order; each half of the union has its own index. */
async function listComplete(
  db: Db,
  { datasetId, version }: FilesOfVersion,
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<HubFileRow[]> {
  const half = (ended: RawBuilder<unknown>): RawBuilder<unknown> => sql`select * from (
      select file_id, path, size_bytes, blob_id, added_version from files
      where dataset_id = ${datasetId} and ${ended} and added_version <= ${version} and status = 'COMPLETED' and ${condition}
      order by path limit ${limit}) as half`;
  const { rows } = await sql<HubFileRow>`select page.*, blobs.sha256 from (
      ${half(sql`ended_version is null`)}
      union all
      ${half(sql`ended_version is not null and ended_version > ${version}`)}
      order by path limit ${limit}) as page
    left join blobs on blobs.id = page.blob_id order by page.path`.execute(db);
  return rows;
}

/** Complete files of a version below a folder ('' is the root), in path order after a path. */
export async function listHubFiles(
  db: Db,
  { below, ...files }: FilesOfVersion & { below: string },
  after: string,
  limit: number,
): Promise<HubFileRow[]> {
  // '0' follows '/' in byte order: everything below the folder lies between the two.
  const inside = below === '' ? sql`` : sql`and path > ${`${below}/`} and path < ${`${below}0`}`;
  return listComplete(db, files, sql`path > ${after} ${inside}`, limit);
}

/** The latest version, up to a given one, in which something was added to, changed in or removed from a folder. */
export async function findFolderChange(
  db: Db,
  { datasetId, version, below }: FilesOfVersion & { below: string },
): Promise<number | undefined> {
  const inside = sql`dataset_id = ${datasetId} and path > ${`${below}/`} and path < ${`${below}0`}`;
  const { rows } = await sql<{ version: number | null }>`select max(version) as version from (
      select max(added_version) as version from files where ${inside} and added_version <= ${version}
      union all
      select max(ended_version) from files where ${inside} and ended_version <= ${version}) as changes`.execute(db);
  return rows[0]?.version ?? undefined;
}

/** The version of a number, or the oldest later one if it was pruned. */
export async function findVersionFrom(db: Db, datasetId: string, number: number): Promise<VersionsTable | undefined> {
  return db
    .selectFrom('versions')
    .selectAll()
    .where('dataset_id', '=', datasetId)
    .where('version', '>=', number)
    .orderBy('version')
    .limit(1)
    .executeTakeFirst();
}

/** The complete files of a version at the given paths. */
export async function findHubFiles(db: Db, files: FilesOfVersion, paths: readonly string[]): Promise<HubFileRow[]> {
  return listComplete(db, files, sql`path in ${keysTable(db, paths)}`, paths.length);
}

/** Datasets of a name, the oldest first, at most two: names need not be unique. `createdBy` narrows them down. */
export async function findDatasetsByName(
  db: Db,
  { name, nameKey, createdBy }: { name: string; nameKey: string; createdBy: string | undefined },
): Promise<DatasetsTable[]> {
  let query = db
    .selectFrom('datasets')
    .selectAll()
    .where('name_key', '=', nameKey)
    .where('name', '=', name)
    .where('deleted_at', 'is', null);
  if (createdBy !== undefined) query = query.where('created_by', '=', createdBy);
  return query.orderBy('created_at').orderBy('id').limit(2).execute();
}

/** The latest version of a name. */
export async function findNamedVersion(db: Db, datasetId: string, name: string): Promise<VersionsTable | undefined> {
  return db
    .selectFrom('versions')
    .selectAll()
    .where('dataset_id', '=', datasetId)
    .where('name', '=', name)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The names of a dataset's versions, those given last first; a name that several versions have is that of the latest one. */
export async function listNamedVersions(
  db: Db,
  datasetId: string,
  limit: number,
): Promise<{ name: string; version: number }[]> {
  return db
    .selectFrom('versions')
    .select((eb) => ['name', eb.fn.max<number>('version').as('version')])
    .where('dataset_id', '=', datasetId)
    .where('name', 'is not', null)
    .$narrowType<{ name: string }>()
    .groupBy('name')
    .orderBy('version', 'desc')
    .limit(limit)
    .execute();
}
