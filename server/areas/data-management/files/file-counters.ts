import { ancestorsOf, fileNameOf, parentOf } from '../../../kernel/file-path.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { together } from '../../../storage/database/together.ts';
import { updateFileBuckets, type BucketLimits, type FileDelta } from './file-buckets.ts';
import type { BucketPlace } from '../queries/buckets.ts';
import { addToCounts, deleteEmptyCounts, type CountDelta } from '../queries/counts.ts';
import { addToFolders, deleteEmptyFolders, type FolderDelta } from '../queries/folders.ts';
import { searchTextOf } from '../../../kernel/search-text.ts';

/** An explicit folder that is created (1) or ended (-1). */
export type DirectoryDelta = { path: string; sign: 1 | -1 };

/** Updates counts by type and status, folders and rank anchors for the rows that a commit stored and ended. */
export async function updateCounters(
  tx: Tx,
  datasetId: string,
  {
    files,
    directories = [],
    places,
  }: {
    files: readonly FileDelta[];
    directories?: readonly DirectoryDelta[];
    /** The rank buckets of the paths, if known. */
    places?: readonly BucketPlace[] | undefined;
  },
  limits: BucketLimits,
): Promise<void> {
  await together([
    updateFolders(tx, datasetId, files, directories),
    updateCounts(tx, datasetId, files),
    files.length === 0 ? undefined : updateFileBuckets(tx, datasetId, { deltas: files, known: places ?? [] }, limits),
  ]);
}

async function updateCounts(tx: Tx, datasetId: string, files: readonly FileDelta[]): Promise<void> {
  const deltas = new Map<string, CountDelta>();
  for (const { file_type, status, size_bytes, sign } of files) {
    const key = `${status}/${file_type}`;
    const delta = deltas.get(key) ?? { file_type, status, files: 0, bytes: 0 };
    delta.files += sign;
    delta.bytes += sign * size_bytes;
    deltas.set(key, delta);
  }
  const moved = [...deltas.values()].filter((delta) => delta.files !== 0 || delta.bytes !== 0);
  if (moved.length === 0) return;
  await addToCounts(tx, datasetId, moved);
  if (moved.some((delta) => delta.files < 0)) await deleteEmptyCounts(tx, datasetId);
}

async function updateFolders(
  tx: Tx,
  datasetId: string,
  files: readonly FileDelta[],
  directories: readonly DirectoryDelta[],
): Promise<void> {
  const deltas = new Map<string, FolderDelta>();
  const folder = (path: string): FolderDelta => {
    const known = deltas.get(path);
    if (known !== undefined) return known;
    const delta = {
      path,
      parent: parentOf(path),
      name_key: searchTextOf(fileNameOf(path)),
      files: 0,
      bytes: 0,
      directories: 0,
    };
    deltas.set(path, delta);
    return delta;
  };
  for (const { path, size_bytes, sign } of files) {
    for (const ancestor of ancestorsOf(path)) {
      const delta = folder(ancestor);
      delta.files += sign;
      delta.bytes += sign * size_bytes;
    }
  }
  for (const { path, sign } of directories)
    for (const ancestor of [...ancestorsOf(path), path]) folder(ancestor).directories += sign;
  const moved = [...deltas.values()].filter(
    (delta) => delta.files !== 0 || delta.bytes !== 0 || delta.directories !== 0,
  );
  if (moved.length === 0) return;
  await addToFolders(tx, datasetId, moved);
  const shrunk = moved.filter((delta) => delta.files < 0 || delta.directories < 0);
  if (shrunk.length > 0)
    await deleteEmptyFolders(
      tx,
      datasetId,
      shrunk.map((delta) => delta.path),
    );
}
