import { isoNow, type Clock } from '../../../kernel/clock.ts';
import { reasonColumns, type Reason } from '../../../kernel/sentences/index.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { together } from '../../../storage/database/together.ts';
import type { DirectoriesTable, FilesTable } from '../../../storage/database/tables/datasets.ts';
import { dataErrors } from '../errors.ts';
import { limitsFor, type BucketLimits, type FileDelta } from './file-buckets.ts';
import { updateCounters, type DirectoryDelta } from './file-counters.ts';
import { deleteAllBuckets, type BucketPlace } from '../queries/buckets.ts';
import {
  deleteFileRows,
  endFiles,
  insertFiles,
  lockDataset,
  updateDatasetContent,
  type DatasetState,
} from '../queries/commits.ts';
import { deleteDirectoryRows, endDirectories, insertDirectories } from '../queries/folders.ts';
import { extendVersion, insertVersion } from '../queries/versions.ts';

/**
 * A version in the making: rows are added and ended together with all counters, and `close` makes it the current one. The next
 * commit of the upload that holds the current version open extends that version.
 */
export type CommitDraft = {
  readonly tx: Tx;
  readonly dataset: DatasetState;
  /** The number of this version: the next one, or that of the open version. */
  readonly version: number;
  /** Whether this extends the open version. */
  readonly isOpenVersion: boolean;
  /** Leaves the open version as it is and starts a new one; call before the first change. */
  startOwn(): void;
  readonly now: string;
  readonly by: string;
  /**
   * Blobs of rows that were added and ended within this version; the caller that closes it releases them once they are adopted.
   */
  readonly superseded: string[];
  /** Ends rows, then stores rows; a few thousand of each at most. */
  change(rows: {
    ended?: readonly FilesTable[];
    added?: readonly FilesTable[];
    /** The rank buckets of the files' paths, if known. */
    places?: readonly BucketPlace[] | undefined;
    endedDirectories?: readonly DirectoriesTable[];
    addedDirectories?: readonly DirectoriesTable[];
  }): Promise<void>;
  /**
   * Writes the version if anything has changed; returns the number of the current version. `staysOpen`: the upload has more files
   * to come.
   */
  close(message?: Reason, staysOpen?: boolean): Promise<number>;
};

export type DraftServices = { clock: Clock; buckets: BucketLimits };

/** Locks the dataset and starts a version; throws DATASET_NOT_FOUND. */
export async function openCommitDraft(
  tx: Tx,
  { clock, buckets }: DraftServices,
  { datasetId, by, uploadId }: { datasetId: string; by: string; uploadId?: string | undefined },
): Promise<CommitDraft> {
  const dataset = await lockDataset(tx, datasetId);
  if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
  let isOpenVersion = uploadId !== undefined && dataset.open_upload_id === uploadId;
  let version = isOpenVersion ? dataset.version : dataset.version + 1;
  const now = isoNow(clock);
  const totals = {
    file_count: dataset.file_count,
    completed_count: dataset.completed_count,
    total_size_bytes: dataset.total_size_bytes,
  };
  const superseded: string[] = [];
  let filesAdded = 0;
  let filesEnded = 0;
  let changed = false;

  /** Rows of this very version are deleted together with their blobs: no older version has them. */
  async function end(rows: readonly FilesTable[]): Promise<void> {
    const older = rows.filter((row) => row.added_version !== version);
    const own = rows.filter((row) => row.added_version === version);
    filesEnded += older.length;
    filesAdded -= own.length;
    if (older.length > 0) await endFiles(tx, older, version);
    if (own.length === 0) return;
    await deleteFileRows(tx, own.map(rowId));
    superseded.push(...own.flatMap((row) => row.blob_id ?? []));
  }

  async function endFolders(rows: readonly DirectoriesTable[]): Promise<void> {
    const older = rows.filter((row) => row.added_version !== version);
    const own = rows.filter((row) => row.added_version === version);
    if (older.length > 0) await endDirectories(tx, older.map(rowId), version);
    if (own.length > 0) await deleteDirectoryRows(tx, own.map(rowId));
  }

  return {
    tx,
    dataset,
    get version() {
      return version;
    },
    get isOpenVersion() {
      return isOpenVersion;
    },
    now,
    by,
    superseded,

    startOwn() {
      isOpenVersion = false;
      version = dataset.version + 1;
    },

    async change({ ended = [], added = [], places, endedDirectories = [], addedDirectories = [] }) {
      changed = true;
      if (ended.length > 0) await end(ended);
      filesAdded += added.length;
      if (endedDirectories.length > 0) await endFolders(endedDirectories);
      const files: FileDelta[] = [...ended.map((row) => deltaOf(row, -1)), ...added.map((row) => deltaOf(row, 1))];
      for (const { sign, size_bytes, status } of files) {
        totals.file_count += sign;
        totals.total_size_bytes += sign * size_bytes;
        if (status === 'COMPLETED') totals.completed_count += sign;
      }
      const directories: DirectoryDelta[] = endedDirectories.map(({ path }) => ({ path, sign: -1 }));
      for (const { path } of addedDirectories) directories.push({ path, sign: 1 });
      await together([
        // Rows first: the rank anchors are computed from them.
        added.length > 0 ? insertFiles(tx, added) : undefined,
        addedDirectories.length > 0 ? insertDirectories(tx, addedDirectories) : undefined,
        updateCounters(tx, datasetId, { files, directories, places }, limitsFor(buckets, totals.file_count)),
      ]);
      // Later files of the same version start with new buckets.
      if (totals.file_count === 0 && ended.length > 0) await deleteAllBuckets(tx, datasetId);
    },

    async close(message, staysOpen = false) {
      if (!changed) return dataset.version;
      const changes = {
        dataset_id: datasetId,
        version,
        ...reasonColumns('message', message ?? null),
        files_added: filesAdded,
        files_ended: filesEnded,
        file_count: totals.file_count,
        total_size_bytes: totals.total_size_bytes,
      };
      const stored = isOpenVersion
        ? extendVersion(tx, changes)
        : insertVersion(tx, {
            ...changes,
            created_at: now,
            created_by: by,
            name: null,
            upload_id: uploadId ?? null,
          });
      const updated = updateDatasetContent(tx, datasetId, {
        version,
        open_upload_id: staysOpen ? (uploadId ?? null) : null,
        ...totals,
        updated_at: now,
        updated_by: by,
      });
      await together([stored, updated]);
      return version;
    },
  };
}

function rowId(row: { row_id: string }): string {
  return row.row_id;
}

function deltaOf({ path, file_type, status, size_bytes }: FilesTable, sign: 1 | -1): FileDelta {
  return { path, file_type, status, size_bytes, sign };
}
