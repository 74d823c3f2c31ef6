import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { prepared } from '../../../storage/database/prepared.ts';
import { dialectOf, jsonRowsOf, jsonRowsTable, rowsTable } from '../../../storage/database/sql.ts';
import { together } from '../../../storage/database/together.ts';
import { endsOf, hasByteOrder } from './path-ranges.ts';
import type { FileBucketsTable } from '../../../storage/database/tables/datasets.ts';

/** Means any type or status in a bucket's row; no type or status contains a slash. */
export const anyValue = '/';

export type BucketKey = Pick<FileBucketsTable, 'level' | 'file_type' | 'status' | 'start_path'>;
export type BucketRow = Omit<FileBucketsTable, 'dataset_id'>;

const keyColumns = { level: 'integer', file_type: 'text', status: 'text', start_path: 'text' } as const;
const rowColumns = { ...keyColumns, file_count: 'integer' } as const;

/** The bucket and group that count a path. */
export type BucketPlace = { path: string; bucket: string; group: string };

const pathColumns = { path: 'text' } as const;

const findPlaces = prepared<{ dataset: string; paths: string }, BucketPlace>((db, p) => {
  const lastStart = (level: number, path: string) => sql`coalesce((select start_path from file_buckets
    where dataset_id = ${p('dataset')} and level = ${sql.lit(level)}
      and file_type = ${sql.lit(anyValue)} and status = ${sql.lit(anyValue)}
      and start_path <= ${sql.raw(path)} order by start_path desc limit 1), '')`;
  const wanted = jsonRowsTable(db, pathColumns, p('paths'), 'wanted');
  // Materialized: otherwise SQLite would look up the bucket of each path again in every comparison.
  return sql<BucketPlace>`
    with places as materialized (
      select wanted.path, ${lastStart(0, 'wanted.path')} as bucket from ${wanted}
    ), owners as materialized (
      select bucket, ${lastStart(1, 'bucket')} as "group" from (select distinct bucket from places) as buckets
    )
    select places.path, places.bucket, owners."group" from places join owners on owners.bucket = places.bucket`;
});

const listStarts = prepared<
  { dataset: string; low: string; high: string; limit: number },
  Pick<FileBucketsTable, 'level' | 'start_path'>
>((_, p) => {
  const whole = (level: number) => sql`dataset_id = ${p('dataset')} and level = ${sql.lit(level)}
    and file_type = ${sql.lit(anyValue)} and status = ${sql.lit(anyValue)}`;
  const lastStart = (level: number, path: RawBuilder<unknown>) => sql`coalesce((select start_path from file_buckets
    where ${whole(level)} and start_path <= ${path} order by start_path desc limit 1), '')`;
  const firstBucket = lastStart(0, sql`${p('low')}`);
  const startsFrom = (level: number, from: RawBuilder<unknown>) => sql`select level, start_path from (
    select level, start_path from file_buckets where ${whole(level)}
      and start_path >= ${from} and start_path <= ${p('high')} order by start_path limit ${p('limit')})`;
  return sql`${startsFrom(0, firstBucket)} union all ${startsFrom(1, lastStart(1, firstBucket))}`;
});

/** The places of paths, from the bucket starts between them; undefined if there are too many of these. */
async function findNearBuckets(
  db: Db,
  datasetId: string,
  paths: readonly string[],
): Promise<BucketPlace[] | undefined> {
  const ends = endsOf(db, paths);
  if (ends === undefined) return undefined;
  const rows = await listStarts(db, { dataset: datasetId, ...ends });
  const starts = [0, 1].map((level) => rows.flatMap((row) => (row.level === level ? [row.start_path] : [])));
  const [buckets = [], groups = []] = starts;
  if (buckets.length >= ends.limit || !rows.every((row) => hasByteOrder(row.start_path))) return undefined;
  return paths.map((path) => {
    const bucket = lastAtOrBefore(buckets, path);
    return { path, bucket, group: lastAtOrBefore(groups, bucket) };
  });
}

/** The last of the sorted starts at or before a path; '' before the first one. */
function lastAtOrBefore(starts: readonly string[], path: string): string {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? '') <= path) low = middle + 1;
    else high = middle;
  }
  return starts[low - 1] ?? '';
}

/** The starts of each path's bucket and of that bucket's group; '' if there is none yet. */
export async function findBucketsOf(db: Db, datasetId: string, paths: readonly string[]): Promise<BucketPlace[]> {
  const near = await findNearBuckets(db, datasetId, paths);
  if (near !== undefined) return near;
  const rows = paths.map((path) => ({ path }));
  return findPlaces(db, { dataset: datasetId, paths: jsonRowsOf(pathColumns, rows) });
}

const addDeltas = prepared<{ dataset: string; deltas: string }, BucketRow>(
  (db, p) => sql<BucketRow>`
    insert into file_buckets (dataset_id, level, file_type, status, start_path, file_count)
    select cast(${p('dataset')} as text), level, file_type, status, start_path, file_count
    from ${jsonRowsTable(db, rowColumns, p('deltas'))} where true
    on conflict (dataset_id, level, file_type, status, start_path)
    do update set file_count = file_buckets.file_count + excluded.file_count
    returning level, file_type, status, start_path, file_count`,
);

/** Adds to the counts of buckets; returns the updated rows. */
export function addToBuckets(tx: Tx, datasetId: string, deltas: readonly BucketRow[]): Promise<BucketRow[]> {
  return addDeltas(tx, { dataset: datasetId, deltas: jsonRowsOf(rowColumns, deltas) });
}

/** Deletes all buckets of a dataset that has no files. */
export async function deleteAllBuckets(tx: Tx, datasetId: string): Promise<void> {
  await tx.deleteFrom('file_buckets').where('dataset_id', '=', datasetId).execute();
}

export async function deleteBuckets(tx: Tx, datasetId: string, keys: readonly BucketKey[]): Promise<void> {
  const rows = keys.map((key) => ({ ...key, dataset_id: datasetId }));
  await sql`delete from file_buckets where (dataset_id, level, file_type, status, start_path) in
    (select dataset_id, level, file_type, status, start_path
    from ${rowsTable(tx, { dataset_id: 'text', ...keyColumns }, rows)})`.execute(tx);
}

/** The start of the next bucket or group, null after the last one. */
export async function findNextStart(
  db: Db,
  datasetId: string,
  level: number,
  startPath: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('file_buckets')
    .select('start_path')
    .where('dataset_id', '=', datasetId)
    .where('level', '=', level)
    .where('file_type', '=', anyValue)
    .where('status', '=', anyValue)
    .where('start_path', '>', startPath)
    .orderBy('start_path')
    .limit(1)
    .executeTakeFirst();
  return row?.start_path ?? null;
}

/** Starts of the buckets between two paths, in order. */
export async function listBucketStarts(
  db: Db,
  datasetId: string,
  range: { from: string; before: string | null },
): Promise<string[]> {
  let query = db
    .selectFrom('file_buckets')
    .select('start_path')
    .where('dataset_id', '=', datasetId)
    .where('level', '=', 0)
    .where('file_type', '=', anyValue)
    .where('status', '=', anyValue)
    .where('start_path', '>=', range.from);
  if (range.before !== null) query = query.where('start_path', '<', range.before);
  const rows = await query.orderBy('start_path').execute();
  return rows.map((row) => row.start_path);
}

/** Returns the groups that hold more than `limit` buckets. */
export async function listCrowdedGroups(
  db: Db,
  datasetId: string,
  starts: readonly string[],
  limit: number,
): Promise<string[]> {
  const buckets = sql`select count(*) from file_buckets as leaves where leaves.dataset_id = ${datasetId} and leaves.level = 0
    and leaves.file_type = ${anyValue} and leaves.status = ${anyValue} and leaves.start_path >= bounds.start_path`;
  const { rows } = await sql<{ start_path: string }>`
    with bounds as (${boundsOf(db, datasetId, 1, starts)})
    select start_path from bounds where next_path is null and (${buckets}) > ${limit}
    union all
    select start_path from bounds where next_path is not null and (${buckets} and leaves.start_path < next_path) > ${limit}`.execute(
    db,
  );
  return rows.map((row) => row.start_path);
}

/** Buckets or groups with the start of the next one, null after the last. */
function boundsOf(db: Db, datasetId: string, level: number, starts: readonly string[]): RawBuilder<unknown> {
  const rows = starts.map((start_path) => ({ start_path }));
  return sql`select start_path, (
      select min(start_path) from file_buckets as next where next.dataset_id = ${datasetId} and next.level = ${level}
        and next.file_type = ${anyValue} and next.status = ${anyValue} and next.start_path > wanted.start_path
    ) as next_path from ${rowsTable(db, { start_path: 'text' }, rows, 'wanted')}`;
}

/** The type and status combinations that a group counts, each including "any". */
export async function listGroupFacets(
  db: Db,
  datasetId: string,
  startPath: string,
): Promise<Pick<FileBucketsTable, 'file_type' | 'status'>[]> {
  return db
    .selectFrom('file_buckets')
    .select(['file_type', 'status'])
    .where('dataset_id', '=', datasetId)
    .where('level', '=', 1)
    .where('start_path', '=', startPath)
    .execute();
}

/** Creates groups by summing the buckets between each start and the next one. */
export async function insertGroups(
  tx: Tx,
  datasetId: string,
  ranges: readonly { start_path: string; before: string | null }[],
  facets: readonly Pick<FileBucketsTable, 'file_type' | 'status'>[],
): Promise<void> {
  await sql`insert into file_buckets (dataset_id, level, file_type, status, start_path, file_count)
    select cast(${datasetId} as text), 1, facets.file_type, facets.status, ranges.start_path, sum(leaves.file_count)
    from ${rowsTable(tx, { start_path: 'text', before: 'text' }, ranges, 'ranges')}
    cross join ${rowsTable(tx, { file_type: 'text', status: 'text' }, facets, 'facets')}
    cross join file_buckets as leaves
    where leaves.dataset_id = ${datasetId} and leaves.level = 0
      and leaves.file_type = facets.file_type and leaves.status = facets.status
      and leaves.start_path >= ranges.start_path and (ranges.before is null or leaves.start_path < ranges.before)
    group by facets.file_type, facets.status, ranges.start_path`.execute(tx);
}

/** The number of current files between two paths, and the paths at the given positions in path order, from 0. */
export async function listPathsAt(
  db: Db,
  datasetId: string,
  { from, before }: { from: string; before: string | null },
  places: readonly number[],
): Promise<{ files: number; paths: string[] }> {
  const end = before === null ? sql`` : sql`and path < ${before}`;
  const between = sql`dataset_id = ${datasetId} and ended_version is null and path >= ${from} ${end}`;
  const [counted, ...found] = await together([
    sql<{ files: number }>`select cast(count(*) as integer) as files from files where ${between}`.execute(db),
    ...places.map((place) =>
      sql<{ path: string }>`select path from files where ${between} order by path limit 1 offset ${place}`.execute(db),
    ),
  ]);
  return { files: counted.rows[0]?.files ?? 0, paths: found.flatMap(({ rows }) => rows.map(({ path }) => path)) };
}

/** Files of one type and one status in a piece of a bucket; the piece starts at `piece_start`. */
export type PieceRow = {
  bucket: string;
  piece: number;
  piece_start: string;
  file_type: string;
  status: string;
  files: number;
};

/** Cuts the files of buckets into pieces in path order, those of the last bucket into pieces of another size. */
export async function listPieces(
  db: Db,
  datasetId: string,
  starts: readonly string[],
  { size, lastSize }: { size: number; lastSize: number },
): Promise<PieceRow[]> {
  const cut = (files: number, end: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    select bounds.start_path as bucket, path, file_type, status,
      (row_number() over (partition by bounds.start_path order by path) - 1) / ${sql.lit(files)} as piece
    from bounds cross join ${inside(end)}`;
  const inside = (end: RawBuilder<unknown>): RawBuilder<unknown> => {
    const condition = sql`files.dataset_id = ${datasetId} and files.ended_version is null
      and files.path >= bounds.start_path and ${end}`;
    // Makes PostgreSQL use the index in path order, as in `listCurrentFilesAt`.
    return dialectOf(db) === 'sqlite'
      ? sql`files where ${condition}`
      : sql`lateral (select path, file_type, status from files where ${condition} order by path limit 1000000) as inside`;
  };
  type Row = Omit<PieceRow, 'piece' | 'files'> & { piece: number | string; files: number | string };
  const { rows } = await sql<Row>`
    with bounds as (${boundsOf(db, datasetId, 0, starts)}), ranked as (
      ${cut(size, sql`files.path < bounds.next_path`)} union all ${cut(lastSize, sql`bounds.next_path is null`)}
    )
    select bucket, piece, min(min(path)) over (partition by bucket, piece) as piece_start, file_type, status, count(*) as files
    from ranked group by bucket, piece, file_type, status`.execute(db);
  // PostgreSQL returns counts as text.
  return rows.map((row) => ({ ...row, piece: Number(row.piece), files: Number(row.files) }));
}
