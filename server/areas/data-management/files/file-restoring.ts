import { newId } from '../../../kernel/ids.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { CommitDraft } from './commit-draft.ts';
import { listDirectoriesAddedSince, listDirectoriesEndedSince } from '../queries/folders.ts';
import { firstPlace, listAddedSince, listEndedSince } from '../queries/version-changes.ts';

const sliceSize = 2_000;

/**
 * Restores the files and folders of an older version in the draft. Changes only what differs: newer files end, and ended ones
 * begin again with their ids and their content, which is shared and not copied.
 */
export async function restoreFiles(
  draft: CommitDraft,
  blobs: Pick<BlobStore, 'retain'>,
  version: number,
): Promise<void> {
  const { tx, dataset, now } = draft;
  const datasetId = dataset.id;
  for (let after = firstPlace; ;) {
    const ended = await listAddedSince(tx, { datasetId, version }, after, sliceSize);
    const last = ended.at(-1);
    if (last === undefined) break;
    await draft.change({ ended });
    after = { version: last.added_version, path: last.path };
  }
  await restoreDirectories(draft, version);
  for (let after = firstPlace; ;) {
    const rows = await listEndedSince(tx, { datasetId, version, current: dataset.version }, after, sliceSize);
    const last = rows.at(-1);
    if (last === undefined) break;
    await blobs.retain(
      tx,
      rows.flatMap((row) => row.blob_id ?? []),
    );
    const added = rows.map((row) => ({
      ...row,
      row_id: newId(),
      // An archive that was never unpacked: nothing will unpack it now.
      status: row.status === 'PROCESSING' ? 'COMPLETED' : row.status,
      updated_at: now,
      added_version: draft.version,
      ended_version: null,
    }));
    await draft.change({ added });
    after = { version: last.ended_version ?? 0, path: last.path };
  }
}

async function restoreDirectories(draft: CommitDraft, version: number): Promise<void> {
  const { tx, dataset } = draft;
  const range = { datasetId: dataset.id, version, current: dataset.version };
  for (;;) {
    const endedDirectories = await listDirectoriesAddedSince(tx, range, sliceSize);
    if (endedDirectories.length === 0) break;
    await draft.change({ endedDirectories });
  }
  for (let after = ''; ;) {
    const rows = await listDirectoriesEndedSince(tx, range, after, 500);
    const last = rows.at(-1);
    if (last === undefined) return;
    const addedDirectories = rows.map((row) => ({
      ...row,
      row_id: newId(),
      added_version: draft.version,
      ended_version: null,
    }));
    await draft.change({ addedDirectories });
    after = last.path;
  }
}
