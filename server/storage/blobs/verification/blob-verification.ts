import type { ReadOnlyDatabase } from '../../database/read-only-database.ts';
import { blobPaths, type BlobPaths } from '../files/blob-folders.ts';
import { fileOperations } from '../files/file-operations.ts';
import { findBlob, findBlobs, listBlobs, type BlobRow } from '../queries/blobs.ts';
import { createRangeCheck, type RangeCheck, type StoredRange } from './range-check.ts';
import { isElsewhere, type Elsewhere } from './other-folders.ts';
import type { StoredObjects } from './stored-objects.ts';
import { checkRecord, headerOf, type RecordProblem } from './record-check.ts';

/** A blob with missing or wrong bytes, their expected location, and the data folder that received them, if recorded. */
export type BlobProblem = { blobId: string; problem: RecordProblem; place: StoredRange; folderNo: number | null };

const rowsPerPage = 1000;

/**
 * Reads every blob, or the named ones, and yields those with missing or wrong bytes; calls `onProgress` for each blob read.
 * Changes nothing, and may run beside a running store.
 */
export async function* verifyBlobs(options: {
  directory: string;
  db: ReadOnlyDatabase;
  /** Set if the blobs are in an object store; `directory` is then empty. */
  objects?: StoredObjects | undefined;
  /** Pages of ids; without them every blob is read. */
  blobIds?: AsyncIterable<readonly string[]>;
  onProgress?: (sizeBytes: number) => void;
  /** Skips the blobs of other data folders and reports them. */
  elsewhere?: Elsewhere | undefined;
}): AsyncGenerator<BlobProblem, void, void> {
  const { directory, db, objects, blobIds, onProgress, elsewhere } = options;
  const paths = blobPaths(directory);
  const ranges = createRangeCheck(objects?.operations ?? fileOperations);
  try {
    for await (const rows of blobIds === undefined ? everyBlob(db) : namedBlobs(db, blobIds)) {
      for (const row of rows.toSorted(byPlace)) {
        if (elsewhere !== undefined && isElsewhere(row, elsewhere)) {
          elsewhere.skip(row.folder_no, { sizeBytes: row.size_bytes });
          continue;
        }
        const problem = await checkTwice(db, paths, ranges, row);
        if (problem !== undefined) yield problem;
        onProgress?.(row.size_bytes);
      }
    }
  } finally {
    await ranges.close();
  }
}

async function* everyBlob(db: ReadOnlyDatabase): AsyncGenerator<BlobRow[]> {
  for (let afterId = ''; ;) {
    const rows = await listBlobs(db.scan, afterId, rowsPerPage);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    afterId = last.id;
  }
}

async function* namedBlobs(db: ReadOnlyDatabase, pages: AsyncIterable<readonly string[]>): AsyncGenerator<BlobRow[]> {
  for await (const ids of pages) yield await findBlobs(db.scan, ids);
}

/** A running service may have moved or erased the blob since its row was read. */
async function checkTwice(
  db: ReadOnlyDatabase,
  paths: BlobPaths,
  ranges: RangeCheck,
  row: BlobRow,
): Promise<BlobProblem | undefined> {
  if ((await check(paths, ranges, row)) === undefined) return undefined;
  // Bytes read ahead may be older than the row.
  await ranges.close();
  const now = await findBlob(db.read, row.id);
  return now === undefined ? undefined : check(paths, ranges, now);
}

async function check(paths: BlobPaths, ranges: RangeCheck, row: BlobRow): Promise<BlobProblem | undefined> {
  if (row.kind === 'empty') return undefined;
  const path = row.kind === 'pack' ? paths.packPath(row.object_id) : paths.filePath(row.object_id);
  const place = { path, offset: row.object_offset, sizeBytes: row.size_bytes };
  const problem = await (row.kind === 'pack' ? checkRecord(ranges, place, row.crc32) : ranges.check(place, row.crc32));
  if (problem === undefined) return undefined;
  const wrong = problem === 'header' ? { path, ...headerOf(place) } : place;
  return { blobId: row.id, problem, place: wrong, folderNo: row.folder_no };
}

/** Sorted by place, so that the records of a pack are read as one run. */
function byPlace(one: BlobRow, other: BlobRow): number {
  if (one.object_id !== other.object_id) return one.object_id < other.object_id ? -1 : 1;
  return one.object_offset - other.object_offset;
}
