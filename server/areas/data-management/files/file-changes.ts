import { reasonColumns, rewritten, type Reason } from '../../../kernel/sentences/index.ts';
import { isoNow, type Clock } from '../../../kernel/clock.ts';
import { fileTypeOf, parentOf } from '../../../kernel/file-path.ts';
import { newId } from '../../../kernel/ids.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { CommitDraft } from './commit-draft.ts';
import { contentTypeOf } from '../../../kernel/content-types.ts';
import { dataErrors } from '../errors.ts';
import { conflictError, storable, type FileRow, type FileStatus } from './file-additions.ts';
import { limitsFor, type BucketLimits, type FileDelta } from './file-buckets.ts';
import { updateCounters } from './file-counters.ts';
import { createPathClaims, type PathRefusal } from './path-claims.ts';
import { addToCompletedCount, listCurrentFiles, lockDataset, updateFileStatus } from '../queries/commits.ts';
import { findFolder } from '../queries/folders.ts';
import { searchTextOf } from '../../../kernel/search-text.ts';

/** Changes a file's path: ends one row and adds another with the same file id and content. */
export async function moveFile(
  draft: CommitDraft,
  blobs: Pick<BlobStore, 'retain'>,
  fileId: string,
  path: string,
): Promise<FileRow> {
  const old = await getCurrentFile(draft.tx, draft.dataset.id, fileId);
  if (old.path === path) return old;
  const claims = createPathClaims<FileRow>(draft.tx, draft.dataset.id, new Set([fileId]));
  const refusal = await claims.refusalAt(path);
  if (refusal !== undefined && !(await isLeftEmpty(draft, old, refusal))) throw conflictError(refusal);
  if ((await claims.holderOf(path)) !== undefined) throw conflictError({ refused: 'file', at: path });
  if (old.blob_id !== null) await blobs.retain(draft.tx, [old.blob_id]);
  const file: FileRow = {
    ...old,
    row_id: newId(),
    path,
    parent: parentOf(path),
    search_text: searchTextOf(path),
    file_type: fileTypeOf(path),
    content_type: old.content_type === contentTypeOf(old.path) ? contentTypeOf(path) : old.content_type,
    updated_at: draft.now,
    added_version: draft.version,
  };
  await draft.change({ ended: [old], added: [file] });
  return file;
}

/** Whether the refusing path is a folder that contains only the file being moved: `a/b` may become `a`. */
async function isLeftEmpty({ tx, dataset }: CommitDraft, file: FileRow, refusal: PathRefusal): Promise<boolean> {
  if (refusal.refused !== 'folder' || !file.path.startsWith(`${refusal.at}/`)) return false;
  const folder = await findFolder(tx, dataset.id, refusal.at);
  return folder?.file_count === 1 && folder.directory_count === 0;
}

/** Sets the status of a current file within the current version; throws DATASET_NOT_FOUND, FILE_NOT_FOUND. */
export async function setFileStatus(
  tx: Tx,
  { clock, buckets }: { clock: Clock; buckets: BucketLimits },
  change: { datasetId: string; fileId: string; status: FileStatus; error?: Reason },
): Promise<FileRow> {
  const { datasetId, fileId, status } = change;
  const dataset = await lockDataset(tx, datasetId);
  if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
  const old = await getCurrentFile(tx, datasetId, fileId);
  const error = change.error === undefined ? null : rewritten(change.error, storable);
  const values = { status, ...reasonColumns('error', error), updated_at: isoNow(clock) };
  await updateFileStatus(tx, old.row_id, values);
  if (old.status !== status) {
    const files: FileDelta[] = [
      { ...old, sign: -1 },
      { ...old, status, sign: 1 },
    ];
    await updateCounters(tx, datasetId, { files }, limitsFor(buckets, dataset.file_count));
    const completed = Number(status === 'COMPLETED') - Number(old.status === 'COMPLETED');
    if (completed !== 0) await addToCompletedCount(tx, datasetId, completed);
  }
  return { ...old, ...values };
}

async function getCurrentFile(tx: Tx, datasetId: string, fileId: string): Promise<FileRow> {
  const [file] = await listCurrentFiles(tx, datasetId, [fileId]);
  if (file === undefined) throw dataErrors.FILE_NOT_FOUND({ id: fileId });
  return file;
}
