import {
  createFileCommits,
  type FileCommits,
  type NewFile,
} from '../server/areas/data-management/files/file-commits.ts';
import { systemClock } from '../server/kernel/clock.ts';
import type { Database } from '../server/storage/database/database.ts';

export const blobCount = 1_000;
export const fileTypes = ['jsonl', 'txt', 'csv', 'png'];
export const filesPerFolder = 10_000;
const sliceFiles = 2_000;

/** Commits of files whose bytes nobody reads. */
export function createBenchCommits(): FileCommits {
  return createFileCommits({ clock: systemClock, blobs: { release: async () => {}, retain: async () => {} } });
}

/** Path, type and status of the first files: in folders of 10,000, four types in turn, a tenth of them with status ERROR. */
export function* fileFacts(
  end: number,
  start = 0,
): Generator<{ index: number; path: string; type: string; status: 'ERROR' | 'COMPLETED' }> {
  for (let index = start; index < end; index++) {
    const number = String(index).padStart(7, '0');
    const type = fileTypes[index % 4] ?? '';
    const folder = String(Math.floor(index / filesPerFolder)).padStart(3, '0');
    const status = index % 10 === 4 ? 'ERROR' : 'COMPLETED';
    yield { index, path: `part-${folder}/file-${number}.${type}`, type, status };
  }
}

export function* newFiles(start: number, end: number): Generator<NewFile> {
  for (const { index, path, status } of fileFacts(end, start))
    yield { path, originalName: path, sizeBytes: index % 5_000, status, blobId: `blob-${index % blobCount}` };
}

/** The first `count` files, for one commit. */
export async function* fileSlices(count: number, onSlice: () => void = () => {}): AsyncIterable<NewFile[]> {
  for (let start = 0; start < count; start += sliceFiles) {
    onSlice();
    yield [...newFiles(start, Math.min(count, start + sliceFiles))];
  }
}

/** Pages of a list join the blobs' checksums, so the blobs must exist. */
export async function insertBlobs(db: Database): Promise<void> {
  const values = Array.from({ length: blobCount }, (_, index) => ({
    id: `blob-${index}`,
    size_bytes: 1,
    crc32: 0,
    sha256: 'a'.repeat(64),
    refs: 1_000_000,
    kind: 'pack' as const,
    object_id: 'p',
    object_offset: index,
  }));
  await db.write((tx) =>
    tx
      .insertInto('blobs')
      .values(values)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
}

/** Fills a database with one dataset of this many files; returns its id. */
export async function insertManyFiles(db: Database, datasetId: string, count: number): Promise<void> {
  await insertBlobs(db);
  const commits = createBenchCommits();
  await db.write((tx) =>
    commits.addAll(tx, { by: 'bench', onConflict: 'REPLACE', datasetId, slices: fileSlices(count) }),
  );
}
