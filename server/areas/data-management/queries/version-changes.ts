import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../storage/database/database.ts';
import type { FilesTable } from '../../../storage/database/tables/datasets.ts';

/** Two versions of a dataset, compared from `from` to `to`; either may be the older one. */
export type VersionPair = { datasetId: string; from: number; to: number };

export type ChangeKind = 'ADDED' | 'CHANGED' | 'MOVED' | 'REMOVED';

/** A file that differs: its state at each of the two versions, null where it is missing. */
export type ChangeRow = {
  change: ChangeKind;
  path: string;
  before_file_id: string | null;
  before_path: string | null;
  before_size_bytes: number | null;
  before_sha256: string | null;
  before_uploaded_at: string | null;
  before_uploaded_by: string | null;
  after_file_id: string | null;
  after_path: string | null;
  after_size_bytes: number | null;
  after_sha256: string | null;
  after_uploaded_at: string | null;
  after_uploaded_by: string | null;
};

export type ChangeFilter = { change?: ChangeKind | undefined; below?: string };

const facts = (alias: string, side: 'before' | 'after'): RawBuilder<unknown> =>
  sql.join(
    ['file_id', 'path', 'size_bytes', 'uploaded_at', 'uploaded_by'].map(
      (column) => sql`${sql.ref(`${alias}.${column}`)} as ${sql.ref(`${side}_${column}`)}`,
    ),
  );

/**
 * Only rows that began or ended between the two versions are in one of them alone. Rows at the same path form a pair; so do
 * remaining rows of the same file, which was moved. A pair with the same path and content is no change.
 */
function changesOf({ datasetId, from, to }: VersionPair): RawBuilder<unknown> {
  const [low, high] = from < to ? [from, to] : [to, from];
  const [gone, fresh] = from < to ? [sql`0`, sql`1`] : [sql`1`, sql`0`];
  // The plus signs keep the other half's index from being chosen.
  return sql`with sides as (
      select row_id, file_id, path, ${gone} as side from files
      where dataset_id = ${datasetId} and ended_version > ${low} and ended_version <= ${high} and +added_version <= ${low}
      union all
      select row_id, file_id, path, ${fresh} as side from files
      where dataset_id = ${datasetId} and added_version > ${low} and added_version <= ${high}
        and (ended_version is null or +ended_version > ${high})
    ), paths as (
      select path, min(file_id) as file_id, count(*) as sides,
        max(case when side = 0 then row_id end) as before_row, max(case when side = 1 then row_id end) as after_row
      from sides group by path
    ), pairs as (
      select path, before_row, after_row from paths where sides = 2
      union all
      select coalesce(max(case when after_row is not null then path end), max(path)) as path,
        max(before_row) as before_row, max(after_row) as after_row
      from paths where sides = 1 group by file_id
    ), compared as (
      select pairs.path, ${facts('b', 'before')}, blob_b.sha256 as before_sha256,
        ${facts('a', 'after')}, blob_a.sha256 as after_sha256,
        case when a.row_id is null then 'REMOVED' when b.row_id is null then 'ADDED'
          when a.size_bytes = b.size_bytes and (coalesce(a.blob_id, '') = coalesce(b.blob_id, '') or blob_a.sha256 = blob_b.sha256)
            then case when a.path = b.path then 'SAME' else 'MOVED' end
          else 'CHANGED' end as change
      from pairs left join files as b on b.row_id = before_row left join files as a on a.row_id = after_row
        left join blobs as blob_b on blob_b.id = b.blob_id left join blobs as blob_a on blob_a.id = a.blob_id
    )`;
}

function conditions({ change, below = '' }: ChangeFilter): RawBuilder<unknown> {
  const kind = change === undefined ? sql`change <> 'SAME'` : sql`change = ${change}`;
  if (below === '') return kind;
  const inside = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(${column} >= ${`${below}/`} and ${column} < ${`${below}0`})`;
  return sql`${kind} and (${inside(sql`before_path`)} or ${inside(sql`after_path`)})`;
}

/** Files that differ between two versions, in path order. */
export async function listVersionChanges(
  db: Db,
  pair: VersionPair,
  filter: ChangeFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<ChangeRow[]> {
  const { rows } = await sql<ChangeRow>`${changesOf(pair)}
    select * from compared where ${conditions(filter)} order by path, before_file_id limit ${limit} offset ${offset}`.execute(
    db,
  );
  return rows;
}

/** How many files differ, and their bytes, by kind of change. */
export async function countVersionChanges(
  db: Db,
  pair: VersionPair,
  filter: ChangeFilter,
): Promise<{ change: ChangeKind; files: number; beforeBytes: number; afterBytes: number }[]> {
  type Count = { change: ChangeKind; files: number | string; before: number | string; after: number | string };
  const { rows } = await sql<Count>`${changesOf(pair)}
    select change, count(*) as files, coalesce(sum(before_size_bytes), 0) as before, coalesce(sum(after_size_bytes), 0) as after
    from compared where ${conditions(filter)} group by change`.execute(db);
  // PostgreSQL returns sums as text.
  return rows.map(({ change, files, before, after }) => ({
    change,
    files: Number(files),
    beforeBytes: Number(before),
    afterBytes: Number(after),
  }));
}

/** A place in a list ordered by version, then path. */
export type ChangePlace = { version: number; path: string };

/** The first place of such a list. */
export const firstPlace: ChangePlace = { version: 0, path: '' };

/** Current files that an older version lacks, by the version that added them and path, after `after`. */
export async function listAddedSince(
  db: Db,
  { datasetId, version }: { datasetId: string; version: number },
  after: ChangePlace,
  limit: number,
): Promise<FilesTable[]> {
  const { rows } = await sql<FilesTable>`select * from files
    where dataset_id = ${datasetId} and added_version > ${version} and ended_version is null
      and (added_version, path) > (${after.version}, ${after.path})
    order by added_version, path limit ${limit}`.execute(db);
  return rows;
}

/** Files of an older version that `current` lacks, by the version that ended them and path, after `after`. */
export async function listEndedSince(
  db: Db,
  { datasetId, version, current }: { datasetId: string; version: number; current: number },
  after: ChangePlace,
  limit: number,
): Promise<FilesTable[]> {
  const { rows } = await sql<FilesTable>`select * from files
    where dataset_id = ${datasetId} and ended_version > ${version} and ended_version <= ${current}
      and +added_version <= ${version} and (ended_version, path) > (${after.version}, ${after.path})
    order by ended_version, path limit ${limit}`.execute(db);
  return rows;
}
