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
  const below = prefix === '' ? sql`` : sql`and path >= ${`${prefix}/`} and path < ${`${prefix}0`}`;
  const types = fileTypes.length === 0 ? sql`` : sql`and file_type in ${keysTable(db, fileTypes)}`;
  const half = (ended: RawBuilder<unknown>): RawBuilder<unknown> => sql`select * from (
      select file_id, path, size_bytes, blob_id, status from files
      where dataset_id = ${datasetId} and path > ${after} and added_version <= ${version} and ${ended} ${below} ${types}
      order by path limit ${limit}) as half`;
  const { rows } = await sql<SourceFileRow>`
    ${half(sql`ended_version is null`)}
    union all
    ${half(sql`ended_version is not null and ended_version > ${version}`)}
    order by path limit ${limit}`.execute(db);
  return rows;
}
