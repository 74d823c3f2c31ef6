import type { Tx } from '../../../storage/database/database.ts';
import type { FilesTable } from '../../../storage/database/tables/datasets.ts';
import {
  addToBuckets,
  anyValue,
  deleteBuckets,
  findBucketsOf,
  findNextStart,
  insertGroups,
  listBucketStarts,
  listCrowdedGroups,
  listGroupFacets,
  listPathsAt,
  listPieces,
  type BucketKey,
  type BucketPlace,
  type BucketRow,
} from '../queries/buckets.ts';

/** An added (1) or ended (-1) file. */
export type FileDelta = Pick<FilesTable, 'path' | 'file_type' | 'status' | 'size_bytes'> & { sign: 1 | -1 };

/** Maximum sizes: a bucket of `files` files, a group of `buckets` buckets; larger ones are split into pieces of half the size. */
export type BucketLimits = { files: number; buckets: number };

export const bucketLimits: BucketLimits = { files: 512, buckets: 64 };

/**
 * The limits for a dataset of `fileCount` files: buckets grow with its square root, so that changes all over ten million files
 * touch a few hundred database pages of anchors, not thousands. Existing buckets keep their size until they are full.
 */
export function limitsFor({ files, buckets }: BucketLimits, fileCount: number): BucketLimits {
  return { files: Math.max(files, 2 ** Math.ceil(Math.log2(Math.sqrt(Math.max(1, fileCount))))), buckets };
}

/**
 * Updates the rank anchors (see FileBucketsTable) for added and ended files, after the file rows are written. A path belongs to
 * the last bucket that starts at or before it. An empty bucket stays as a bound, because a group starts where one of its buckets
 * does.
 */
export async function updateFileBuckets(
  tx: Tx,
  datasetId: string,
  { deltas, known }: { deltas: readonly FileDelta[]; known: readonly BucketPlace[] },
  limits: BucketLimits,
): Promise<void> {
  const placeOf = new Map(known.map((place) => [place.path, place]));
  const unknown = new Set(deltas.map((delta) => delta.path).filter((path) => !placeOf.has(path)));
  if (unknown.size > 0)
    for (const place of await findBucketsOf(tx, datasetId, [...unknown])) placeOf.set(place.path, place);
  const tally = createTally();
  for (const delta of deltas) tally.add(placeOf.get(delta.path)?.bucket ?? '', delta, delta.sign);
  const groups = new Map([...placeOf.values()].map((place) => [place.bucket, place.group]));
  const moved = [...tally.rows(0), ...tally.rows(1, (bucket) => groups.get(bucket) ?? '')];
  if (moved.length === 0) return;
  const buckets = await addToBuckets(tx, datasetId, moved);
  const emptied = buckets.filter((bucket) => bucket.file_count === 0 && !isWhole(bucket));
  if (emptied.length > 0) await deleteBuckets(tx, datasetId, emptied);
  const full = buckets.filter((row) => isWhole(row) && row.level === 0 && row.file_count > limits.files);
  const [first, ...more] = full;
  if (first === undefined) return;
  if (more.length === 0) await splitBucket(tx, datasetId, { whole: first, rows: buckets }, limits);
  else
    await splitBuckets(
      tx,
      datasetId,
      full.map(({ start_path }) => start_path),
      limits,
    );
  const touched = new Set(full.map(({ start_path }) => groups.get(start_path) ?? ''));
  for (const group of await listCrowdedGroups(tx, datasetId, [...touched], limits.buckets))
    await splitGroup(tx, datasetId, group, limits);
}

/** Sizes of the pieces of a split bucket; those of the last bucket are larger: names often ascend, so its pieces rarely grow. */
export function pieceSizes({ files }: BucketLimits): { size: number; lastSize: number } {
  return { size: files / 2, lastSize: (files * 3) / 4 };
}

/** Splits many buckets that are too large, all over the list. */
async function splitBuckets(tx: Tx, datasetId: string, starts: readonly string[], limits: BucketLimits): Promise<void> {
  const old = createTally();
  const fresh = createTally();
  for (const { bucket, piece, piece_start, files, ...facet } of await listPieces(
    tx,
    datasetId,
    starts,
    pieceSizes(limits),
  )) {
    old.add(bucket, facet, files);
    fresh.add(piece === 0 ? bucket : piece_start, facet, files);
  }
  await deleteBuckets(tx, datasetId, old.rows(0));
  await addToBuckets(tx, datasetId, fresh.rows(0));
}

/** Splits one bucket that is too large, as an upload of ascending names does again and again. */
async function splitBucket(
  tx: Tx,
  datasetId: string,
  { whole, rows }: { whole: BucketRow; rows: readonly BucketRow[] },
  limits: BucketLimits,
): Promise<void> {
  const uniform = rows.find(
    ({ level, start_path, file_type, status, file_count }) =>
      level === 0 &&
      start_path === whole.start_path &&
      file_type !== anyValue &&
      status !== anyValue &&
      file_count === whole.file_count,
  );
  if (uniform === undefined) await splitBuckets(tx, datasetId, [whole.start_path], limits);
  else await splitUniformBucket(tx, datasetId, uniform, limits);
}

/** Like `splitBucket`, for a bucket whose files share one type and status: the index of paths is enough. */
async function splitUniformBucket(
  tx: Tx,
  datasetId: string,
  { start_path: from, file_type, status, file_count }: BucketRow,
  limits: BucketLimits,
): Promise<void> {
  const before = await findNextStart(tx, datasetId, 0, from);
  const { size, lastSize } = pieceSizes(limits);
  const pieceSize = before === null ? lastSize : size;
  const places = Array.from({ length: Math.ceil(file_count / pieceSize) - 1 }, (_, index) => (index + 1) * pieceSize);
  const { files, paths } = await listPathsAt(tx, datasetId, { from, before }, places);
  const old = createTally();
  const fresh = createTally();
  old.add(from, { file_type, status }, files);
  for (const [index, start] of [from, ...paths].entries()) {
    const size = index < paths.length ? pieceSize : files - index * pieceSize;
    fresh.add(start, { file_type, status }, size);
  }
  await deleteBuckets(tx, datasetId, old.rows(0));
  await addToBuckets(tx, datasetId, fresh.rows(0));
}

/** Splits a group that has too many buckets. */
async function splitGroup(tx: Tx, datasetId: string, from: string, limits: BucketLimits): Promise<void> {
  const before = await findNextStart(tx, datasetId, 1, from);
  const starts = await listBucketStarts(tx, datasetId, { from, before });
  const cuts = starts.filter((_, index) => index > 0 && index % (limits.buckets / 2) === 0);
  const bounds = [from, ...cuts];
  const facets = await listGroupFacets(tx, datasetId, from);
  await deleteBuckets(
    tx,
    datasetId,
    facets.map((facet) => ({ ...facet, level: 1, start_path: from })),
  );
  await insertGroups(
    tx,
    datasetId,
    bounds.map((start_path, index) => ({ start_path, before: bounds[index + 1] ?? before })),
    facets,
  );
}

function isWhole(key: BucketKey): boolean {
  return key.file_type === anyValue && key.status === anyValue;
}

type Facet = Pick<FilesTable, 'file_type' | 'status'>;

/** Counts files by bucket, type and status; its rows are table rows, four for each combination. */
type Tally = {
  add(bucket: string, facet: Facet, by: number): void;
  /** Rows with a change; `startOf` maps a bucket to the start of its group, for groups. */
  rows(level: number, startOf?: (bucket: string) => string): BucketRow[];
};

function createTally(): Tally {
  type Count = { bucket: string; facet: Facet; count: number };
  const counts = new Map<string, Count>();
  let last: Count | undefined;

  function countOf(bucket: string, facet: Facet): Count {
    // Consecutive files mostly share these; building a key for each took most of a tally's time.
    const { file_type, status } = facet;
    if (last?.bucket === bucket && last.facet.file_type === file_type && last.facet.status === status) return last;
    // No path, type or status contains NUL.
    const key = `${status}\0${file_type}\0${bucket}`;
    const count = counts.get(key) ?? { bucket, facet, count: 0 };
    counts.set(key, count);
    return count;
  }

  return {
    add(bucket, facet, by) {
      last = countOf(bucket, facet);
      last.count += by;
    },
    rows(level, startOf = (bucket) => bucket) {
      const rows = new Map<string, BucketRow>();
      for (const { bucket, facet, count } of counts.values())
        for (const file_type of [anyValue, facet.file_type])
          for (const status of [anyValue, facet.status]) {
            const start_path = startOf(bucket);
            const key = `${status}\0${file_type}\0${start_path}`;
            const known = rows.get(key);
            if (known === undefined) rows.set(key, { level, file_type, status, start_path, file_count: count });
            else known.file_count += count;
          }
      return [...rows.values()].filter((row) => row.file_count !== 0);
    },
  };
}
