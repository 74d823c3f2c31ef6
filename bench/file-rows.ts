import { sql, type RawBuilder } from 'kysely';
import type { Database, Tx } from '../server/storage/database/database.ts';
import { dialectOf } from '../server/storage/database/sql.ts';
import { bucketLimits, limitsFor, pieceSizes } from '../server/areas/data-management/files/file-buckets.ts';
import { addToBuckets, anyValue, type BucketRow } from '../server/areas/data-management/queries/buckets.ts';
import { blobCount, fileFacts, filesPerFolder, fileTypes } from './many-files.ts';

const rowsPerStatement = 250_000;
const anchorsPerStatement = 10_000;

/**
 * The files of `newFiles`, as the rows that a single commit of them would leave, for counts for which that commit would take an hour. They
 * are generated within the database, in the order of their paths; the counters are computed by the same rule, not from the rows. The
 * dataset must be new. The caller checks the counters with `recountCounters`.
 */
export async function insertFileRows(db: Database, datasetId: string, count: number): Promise<number> {
  const version = 2;
  for (let start = 0; start < count; start += rowsPerStatement)
    await db.write((tx) =>
      insertFiles(tx, { datasetId, version, start, end: Math.min(count, start + rowsPerStatement) }),
    );
  await db.write((tx) => insertCounters(tx, { datasetId, version, count }));
  await db.write((tx) => insertAnchors(tx, datasetId, count));
  return version;
}

/** The numbers from `start` to before `end`. */
function numbers(tx: Tx, start: number, end: number): RawBuilder<unknown> {
  if (dialectOf(tx) === 'postgres')
    return sql`(select n from generate_series(${sql.lit(start)}::bigint, ${sql.lit(end - 1)}) as n) as numbers`;
  return sql`(with recursive counted(n) as (select ${sql.lit(start)} union all select n + 1 from counted where n + 1 < ${sql.lit(end)})
    select n from counted) as numbers`;
}

function padded(tx: Tx, value: RawBuilder<unknown>, width: number): RawBuilder<unknown> {
  const digits = sql.lit(width);
  return dialectOf(tx) === 'postgres'
    ? sql`lpad((${value})::text, ${digits}, '0')`
    : sql`printf('%0*d', ${digits}, ${value})`;
}

/** Files with numbers from `start` to before `end`, as `newFiles` makes them. */
function madeFiles(tx: Tx, start: number, end: number): RawBuilder<unknown> {
  const types = sql.join(
    fileTypes.map((name, index) => sql`when ${sql.lit(index)} then ${sql.lit(name)}`),
    sql` `,
  );
  return sql`(select n, parent || '/file-' || ${padded(tx, sql`n`, 7)} || '.' || file_type as path, parent, file_type, status, size_bytes from (
      select n, 'part-' || ${padded(tx, sql`n / ${sql.lit(filesPerFolder)}`, 3)} as parent, case n % 4 ${types} end as file_type,
        case when n % 10 = 4 then 'ERROR' else 'COMPLETED' end as status, n % 5000 as size_bytes
      from ${numbers(tx, start, end)}
    ) as parts) as made`;
}

async function insertFiles(
  tx: Tx,
  { datasetId, version, start, end }: { datasetId: string; version: number; start: number; end: number },
): Promise<void> {
  const now = new Date().toISOString();
  await sql`insert into files (row_id, file_id, dataset_id, path, parent, search_text, original_name, file_type, content_type, size_bytes,
      status, error, blob_id, origin, uploaded_at, uploaded_by, updated_at, added_version, ended_version)
    select id, id, cast(${datasetId} as text), path, parent, path, path, file_type, 'application/octet-stream', size_bytes,
      status, null, 'blob-' || (n % ${sql.lit(blobCount)}), null, ${now}, 'bench', ${now}, cast(${sql.lit(version)} as integer), null
    from (select '01990000-0000-7000-' || substr(cast(${datasetId} as text), 25, 4) || '-' || ${padded(tx, sql`n`, 12)} as id, made.* from ${madeFiles(tx, start, end)}) as rows
    order by n`.execute(tx);
}

async function insertCounters(
  tx: Tx,
  { datasetId, version, count }: { datasetId: string; version: number; count: number },
): Promise<void> {
  const made = madeFiles(tx, 0, count);
  await sql`insert into folders (dataset_id, path, parent, name_key, file_count, total_size_bytes, directory_count)
    select cast(${datasetId} as text), parent, '', parent, count(*), sum(size_bytes), 0 from ${made} group by parent`.execute(
    tx,
  );
  await sql`insert into dataset_counts (dataset_id, file_type, status, file_count, total_size_bytes)
    select cast(${datasetId} as text), file_type, status, count(*), sum(size_bytes) from ${made} group by file_type, status`.execute(
    tx,
  );
  const sumOf = (column: string, where = sql``): RawBuilder<unknown> =>
    sql`(select sum(${sql.ref(column)}) from dataset_counts where dataset_id = ${datasetId} ${where})`;
  await sql`insert into versions (dataset_id, version, created_at, created_by, name, message, upload_id, files_added, files_ended, file_count, total_size_bytes)
    values (${datasetId}, ${version}, ${new Date().toISOString()}, 'bench', null, null, null, ${count}, 0, ${count}, ${sumOf('total_size_bytes')})`.execute(
    tx,
  );
  await sql`update datasets set version = ${version}, file_count = ${count},
      completed_count = ${sumOf('file_count', sql`and status = 'COMPLETED'`)}, total_size_bytes = ${sumOf('total_size_bytes')}
    where id = ${datasetId}`.execute(tx);
}

/** The anchors of ascending names: the last bucket is split repeatedly, into pieces that grow with the dataset. */
async function insertAnchors(tx: Tx, datasetId: string, count: number): Promise<void> {
  const levels = [createAnchors(0), createAnchors(1)] as const;
  let bucketEnd = 0;
  let buckets = 0;
  for (const { index, path, type, status } of fileFacts(count)) {
    if (index === bucketEnd) {
      bucketEnd += pieceSizes(limitsFor(bucketLimits, index)).lastSize;
      const start = index === 0 ? '' : path;
      levels[0].begin(start);
      if (buckets % (bucketLimits.buckets / 2) === 0) levels[1].begin(start);
      buckets += 1;
    }
    for (const level of levels) level.count(type, status);
  }
  const rows = levels.flatMap((level) => level.rows());
  for (let start = 0; start < rows.length; start += anchorsPerStatement)
    await addToBuckets(tx, datasetId, rows.slice(start, start + anchorsPerStatement));
}

type Anchors = { begin(start: string): void; count(type: string, status: string): void; rows(): BucketRow[] };

function createAnchors(level: number): Anchors {
  const rows: BucketRow[] = [];
  let current = new Map<string, BucketRow>();
  let startPath = '';
  return {
    begin(start) {
      startPath = start;
      current = new Map();
    },
    count(type, status) {
      for (const [file_type, of] of [
        [anyValue, anyValue],
        [type, anyValue],
        [anyValue, status],
        [type, status],
      ] as const) {
        const key = `${file_type} ${of}`;
        const known = current.get(key);
        if (known !== undefined) {
          known.file_count += 1;
          continue;
        }
        const row = { level, file_type, status: of, start_path: startPath, file_count: 1 };
        current.set(key, row);
        rows.push(row);
      }
    },
    rows: () => rows,
  };
}
