import { errors, type AppError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { DirectoriesTable } from '../../../storage/database/tables/datasets.ts';
import type { CommitDraft } from './commit-draft.ts';
import { dataErrors } from '../errors.ts';
import { conflictError } from './file-additions.ts';
import { createPathClaims } from './path-claims.ts';
import { deleteFileRows, listCurrentFiles, listCurrentFilesBetween, listRowsOfFiles } from '../queries/commits.ts';
import { findDirectory, findFolder, listDirectoriesBetween } from '../queries/folders.ts';
import { subtractFromVersions, type PurgedRange } from '../queries/versions.ts';

type Releasing = Pick<BlobStore, 'release'>;

const sliceSize = 5_000;
const directorySlice = 500;

/** The number of current files that ended, and the ids that matched none. */
export type Ended = { endedFiles: number; missing: string[] };

/** Ends files by id; a purge also finds those that ended before. */
export async function endFilesById(
  draft: CommitDraft,
  blobs: Releasing,
  fileIds: readonly string[],
  purge: boolean,
): Promise<Ended> {
  let endedFiles = 0;
  const missing: string[] = [];
  const wanted = [...new Set(fileIds)];
  for (let start = 0; start < wanted.length; start += sliceSize) {
    const slice = wanted.slice(start, start + sliceSize);
    const ended = await listCurrentFiles(draft.tx, draft.dataset.id, slice);
    endedFiles += ended.length;
    if (ended.length > 0) await draft.change({ ended });
    const found = new Set(purge ? await purgeFiles(draft, blobs, slice) : ended.map((row) => row.file_id));
    missing.push(...slice.filter((id) => !found.has(id)));
  }
  return { endedFiles, missing };
}

/** Ends everything below a folder ('' is the root) and the folder itself; returns how many files were current. */
export async function endFolder(draft: CommitDraft, blobs: Releasing, prefix: string, purge: boolean): Promise<number> {
  // '0' follows '/' in byte order: everything below the folder lies between the two.
  const below = prefix === '' ? { from: '', before: null } : { from: `${prefix}/`, before: `${prefix}0` };
  const datasetId = draft.dataset.id;
  let endedFiles = 0;
  for (;;) {
    const ended = await listCurrentFilesBetween(draft.tx, datasetId, below, sliceSize);
    if (ended.length === 0) break;
    endedFiles += ended.length;
    await draft.change({ ended });
    if (purge)
      await purgeFiles(
        draft,
        blobs,
        ended.map((row) => row.file_id),
      );
  }
  const itself = await findDirectory(draft.tx, datasetId, prefix);
  if (itself !== undefined) await draft.change({ endedDirectories: [itself] });
  for (;;) {
    const endedDirectories = await listDirectoriesBetween(draft.tx, datasetId, below, sliceSize);
    if (endedDirectories.length === 0) break;
    await draft.change({ endedDirectories });
  }
  return endedFiles;
}

/** Ends an existing folder. */
export async function endDirectory(
  draft: CommitDraft,
  blobs: Releasing,
  path: string,
  purge: boolean,
): Promise<number> {
  if ((await findFolder(draft.tx, draft.dataset.id, path)) === undefined)
    throw errors.NOT_FOUND({ what: `Directory ${path}` });
  return endFolder(draft, blobs, path, purge);
}

/** Creates a folder where there is neither a folder nor a file. */
export async function createDirectory(draft: CommitDraft, path: string): Promise<void> {
  const claims = createPathClaims(draft.tx, draft.dataset.id);
  const refusal = await claims.refusalAt(path);
  if (refusal?.refused === 'folder') throw dataErrors.DIRECTORY_ALREADY_EXISTS({ path });
  if (refusal !== undefined) throw conflictError(refusal);
  if ((await claims.holderOf(path)) !== undefined) throw conflictError({ refused: 'file', at: path });
  await draft.change({ addedDirectories: [directoryRow(draft, path)] });
}

/** Creates the missing folders; returns their number. A folder with a file at its path or above it is passed to `onConflict`. */
export async function createMissingDirectories(
  draft: CommitDraft,
  paths: readonly string[],
  onConflict: (path: string, error: AppError) => void,
): Promise<number> {
  let created = 0;
  for (let start = 0; start < paths.length; start += directorySlice) {
    const slice = paths.slice(start, start + directorySlice);
    const claims = createPathClaims(draft.tx, draft.dataset.id);
    await claims.learn(slice);
    const missing: string[] = [];
    for (const path of slice) {
      const refusal = await claims.refusalAt(path);
      if (refusal?.refused === 'folder') continue;
      if (refusal !== undefined) onConflict(path, conflictError(refusal));
      else if ((await claims.holderOf(path)) !== undefined)
        onConflict(path, conflictError({ refused: 'file', at: path }));
      else missing.push(path);
    }
    if (missing.length > 0) await draft.change({ addedDirectories: missing.map((path) => directoryRow(draft, path)) });
    created += missing.length;
  }
  return created;
}

function directoryRow(draft: CommitDraft, path: string): DirectoriesTable {
  return {
    row_id: newId(),
    dataset_id: draft.dataset.id,
    path,
    created_at: draft.now,
    created_by: draft.by,
    added_version: draft.version,
    ended_version: null,
  };
}

/** Erases every state of files and corrects the totals of the versions that had them; returns the ids found. */
async function purgeFiles(draft: CommitDraft, blobs: Releasing, fileIds: readonly string[]): Promise<string[]> {
  const rows = await listRowsOfFiles(draft.tx, draft.dataset.id, fileIds);
  if (rows.length === 0) return [];
  await deleteFileRows(
    draft.tx,
    rows.map((row) => row.row_id),
  );
  const blobIds = rows.flatMap((row) => row.blob_id ?? []);
  if (blobIds.length > 0) await blobs.release(draft.tx, blobIds);
  const ranges = rangesOf(rows, draft.version);
  if (ranges.length > 0) await subtractFromVersions(draft.tx, draft.dataset.id, ranges);
  return rows.map((row) => row.file_id);
}

/** Converts the lifetimes of rows into version ranges that don't overlap. */
function rangesOf(
  rows: readonly { size_bytes: number; added_version: number; ended_version: number | null }[],
  current: number,
): PurgedRange[] {
  const steps = new Map<number, { files: number; bytes: number }>();
  const step = (version: number, files: number, bytes: number): void => {
    const known = steps.get(version) ?? { files: 0, bytes: 0 };
    steps.set(version, { files: known.files + files, bytes: known.bytes + bytes });
  };
  for (const { size_bytes, added_version, ended_version } of rows) {
    step(added_version, 1, size_bytes);
    step(ended_version ?? current, -1, -size_bytes);
  }
  const bounds = [...steps].toSorted(([left], [right]) => left - right);
  const ranges: PurgedRange[] = [];
  let files = 0;
  let bytes = 0;
  for (const [index, [from, change]] of bounds.entries()) {
    files += change.files;
    bytes += change.bytes;
    const before = bounds[index + 1]?.[0];
    if (before !== undefined && files > 0) ranges.push({ from, before, files, bytes });
  }
  return ranges;
}
