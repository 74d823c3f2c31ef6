import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../storage/database/database.ts';

/** A counter that differs from a recount of the files. */
export type CounterDifference = {
  /** The counter, by table and column. */
  counter: string;
  /** The folder, type, version …; '' for the dataset itself. */
  of: string;
  stored: number;
  counted: number;
};

/** Each statement reads one snapshot of the database, so concurrent commits make no difference. */
type Recount = (db: Db, datasetId: string, limit: number) => Promise<CounterDifference[]>;

const current = (datasetId: string): RawBuilder<unknown> =>
  sql`from files where dataset_id = ${datasetId} and ended_version is null`;

/** Counters and totals in the dataset's own row, and its version. */
export const recountDataset: Recount = async (db, datasetId, limit) => {
  const { rows } = await sql<CounterDifference>`
    with counted as (
      select count(*) as files, coalesce(sum(case when status = 'COMPLETED' then 1 else 0 end), 0) as completed,
        coalesce(sum(size_bytes), 0) as bytes ${current(datasetId)}
    ), newest as (select coalesce(max(version), 0) as version from versions where dataset_id = ${datasetId}),
    pairs as (
      select 'fileCount' as counter, file_count as stored, files as counted from datasets, counted where id = ${datasetId}
      union all select 'completedCount', completed_count, completed from datasets, counted where id = ${datasetId}
      union all select 'totalSize', total_size_bytes, bytes from datasets, counted where id = ${datasetId}
      union all select 'version', datasets.version, newest.version from datasets, newest where id = ${datasetId}
    )
    select counter, '' as "of", stored, counted from pairs where stored <> counted limit ${limit}`.execute(db);
  return rows;
};

/** Counts by type and status, the source of the statistics. */
export const recountStatistics: Recount = async (db, datasetId, limit) => {
  const { rows } = await sql<CounterDifference>`
    with counted as (
      select file_type, status, count(*) as files, sum(size_bytes) as bytes ${current(datasetId)}
      group by file_type, status
    ), stored as (
      select file_type, status, file_count as files, total_size_bytes as bytes from dataset_counts
      where dataset_id = ${datasetId}
    ), merged as (
      select file_type || ' ' || status as "of", coalesce(stored.files, 0) as stored_files,
        coalesce(stored.bytes, 0) as stored_bytes, coalesce(counted.files, 0) as counted_files,
        coalesce(counted.bytes, 0) as counted_bytes
      from stored full join counted using (file_type, status)
    )
    ${filesAndBytes('statistics', limit)}`.execute(db);
  return rows;
};

/** Totals of every folder, at any depth. */
export const recountFolders: Recount = async (db, datasetId, limit) => {
  const { rows } = await sql<CounterDifference>`
    with recursive steps(path, files, bytes, directories) as (
      select * from (
        select parent, count(*) as files, sum(size_bytes) as bytes, 0 as directories
        from files where dataset_id = ${datasetId} and ended_version is null and parent <> '' group by parent
        union all
        select path, 0, 0, 1 from directories where dataset_id = ${datasetId} and ended_version is null
      ) as beginnings
      union all
      select ${parentOf(sql`path`)}, files, bytes, directories from steps where path like '%/%'
    ), counted as (
      select path, sum(files) as files, sum(bytes) as bytes, sum(directories) as directories from steps group by path
    ), stored as (
      select path, file_count as files, total_size_bytes as bytes, directory_count as directories from folders
      where dataset_id = ${datasetId}
    ), merged as (
      select path as "of", coalesce(stored.files, 0) as stored_files, coalesce(stored.bytes, 0) as stored_bytes,
        coalesce(counted.files, 0) as counted_files, coalesce(counted.bytes, 0) as counted_bytes,
        coalesce(stored.directories, 0) as stored_directories, coalesce(counted.directories, 0) as counted_directories
      from stored full join counted using (path)
    )
    select 'folder.directoryCount' as counter, "of", stored_directories as stored, counted_directories as counted
    from merged where stored_directories <> counted_directories
    union all ${filesAndBytes('folder', limit)}`.execute(db);
  return rows;
};

/** Totals of every version: everything added up to it minus everything ended up to it, including in pruned versions. */
export const recountVersions: Recount = async (db, datasetId, limit) => {
  const { rows } = await sql<CounterDifference>`
    with changes as (
      select added_version as version, 1 as files, size_bytes as bytes from files where dataset_id = ${datasetId}
      union all
      select ended_version, -1, -size_bytes from files where dataset_id = ${datasetId} and ended_version is not null
      union all
      select version, 0, 0 from versions where dataset_id = ${datasetId}
    ), sums as (
      select version, sum(files) as files, sum(bytes) as bytes from changes group by version
    ), totals as (
      select version, sum(files) over (order by version) as files, sum(bytes) over (order by version) as bytes from sums
    ), merged as (
      select 'version ' || versions.version as "of", versions.file_count as stored_files,
        versions.total_size_bytes as stored_bytes, totals.files as counted_files, totals.bytes as counted_bytes
      from versions join totals on totals.version = versions.version where versions.dataset_id = ${datasetId}
    )
    ${filesAndBytes('version', limit)}`.execute(db);
  return rows;
};

/** The rank anchors of one level: files between the bounds, by type and status and by "any" ('/'). */
async function recountLevel(db: Db, datasetId: string, level: number, limit: number): Promise<CounterDifference[]> {
  const between = (upper: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select bounds.start_path, files.file_type, files.status from bounds cross join files
    where files.dataset_id = ${datasetId} and files.ended_version is null and files.path >= bounds.start_path and ${upper}`;
  const { rows } = await sql<CounterDifference>`
    with bounds as (
      select start_path, lead(start_path) over (order by start_path) as next_path from file_buckets
      where dataset_id = ${datasetId} and level = ${level} and file_type = '/' and status = '/'
    ), placed as (
      ${between(sql`files.path < bounds.next_path`)}
      union all ${between(sql`bounds.next_path is null`)}
    ), facets as (
      select start_path, file_type, status, count(*) as files from placed group by start_path, file_type, status
    ), counted as (
      select start_path, file_type, status, files from facets
      union all select start_path, '/', status, sum(files) from facets group by start_path, status
      union all select start_path, file_type, '/', sum(files) from facets group by start_path, file_type
      union all select start_path, '/', '/', sum(files) from facets group by start_path
    ), stored as (
      select start_path, file_type, status, file_count as files from file_buckets
      where dataset_id = ${datasetId} and level = ${level}
    )
    select 'rankAnchor.fileCount' as counter,
      'level ' || ${String(level)} || ' from "' || start_path || '" ' || file_type || ' ' || status as "of",
      coalesce(stored.files, 0) as stored, coalesce(counted.files, 0) as counted
    from stored full join counted using (start_path, file_type, status)
    where coalesce(stored.files, 0) <> coalesce(counted.files, 0) limit ${limit}`.execute(db);
  return rows;
}

/** The rank anchors, which locate pages. */
export const recountAnchors: Recount = async (db, datasetId, limit) => [
  ...(await recountLevel(db, datasetId, 0, limit)),
  ...(await recountLevel(db, datasetId, 1, limit)),
];

/** Whether the rank anchors of each level cover all files: an uncovered file would be on no page. */
export const recountAnchored: Recount = async (db, datasetId, limit) => {
  const { rows } = await sql<CounterDifference>`
    with levels as (select 0 as level union all select 1),
    sums as (
      select levels.level, coalesce(sum(file_count), 0) as stored from levels
      left join file_buckets on file_buckets.level = levels.level and dataset_id = ${datasetId}
        and file_type = '/' and status = '/'
      group by levels.level
    ), counted as (select count(*) as files ${current(datasetId)})
    select 'rankAnchor.files' as counter, 'level ' || level as "of", stored, files as counted
    from sums, counted where stored <> files limit ${limit}`.execute(db);
  return rows;
};

/** Selects the rows whose stored and counted values differ, one difference per value. */
function filesAndBytes(name: string, limit: number): RawBuilder<unknown> {
  return sql`select ${`${name}.fileCount`} as counter, "of", stored_files as stored, counted_files as counted
    from merged where stored_files <> counted_files
    union all select ${`${name}.totalSize`}, "of", stored_bytes, counted_bytes
    from merged where stored_bytes <> counted_bytes limit ${limit}`;
}

/** `a/b/c` → `a/b`, in SQL for both databases: trims everything after the last slash, then the slash. */
function parentOf(path: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`rtrim(rtrim(${path}, replace(${path}, '/', '')), '/')`;
}
