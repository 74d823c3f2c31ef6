import type { Clock } from '../../../kernel/clock.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { together } from '../../../storage/database/together.ts';
import { openCommitDraft, type CommitDraft } from './commit-draft.ts';
import { dataErrors } from '../errors.ts';
import {
  createAdditions,
  type AddOutcome,
  type ConflictPolicy,
  type FileRow,
  type FileStatus,
  type NewFile,
} from './file-additions.ts';
import { bucketLimits, type BucketLimits } from './file-buckets.ts';
import { moveFile, setFileStatus } from './file-changes.ts';
import { createDirectory, endDirectory, endFilesById, endFolder, type Ended } from './file-endings.ts';
import { listCurrentFiles } from '../queries/commits.ts';

export type { AddOutcome, ConflictPolicy, FileRow, FileStatus, NewFile } from './file-additions.ts';

export type CommitResult = { version: number; outcomes: AddOutcome[] };

/** Whose commit it is, on which dataset, and how it deals with what is there. */
export type CommitOptions = {
  datasetId: string;
  /** User name. */
  by: string;
  onConflict: ConflictPolicy;
  /** Of the version. */
  message?: string;
  /** A file that ends in this version, as an archive does when its entries come. */
  replacing?: { fileId: string };
};

export type EndOptions = {
  datasetId: string;
  by: string;
  message?: string;
  /** Erases every state of the files and their bytes from all versions, instead of ending them in the new one. */
  purge?: boolean;
} & ({ fileIds: readonly string[] } | { prefix: string });

/**
 * The only code that changes what a dataset holds. Each call is one version of the dataset (when it changes anything), in
 * the caller's transaction, with every counter, folder and rank anchor. On PostgreSQL it first locks the dataset row.
 */
export type FileCommits = {
  /**
   * Adds files as one version, outcomes in their order. Of equal paths in one commit the later file replaces the earlier
   * (REPLACE), is renamed (RENAME) or is a conflict (ERROR). A replaced file keeps its id. A file never takes the place of
   * a folder nor stands below a file, whatever the policy. `also` is work of the same transaction that waits for nothing but
   * the outcomes, as adopting the blobs is. Throws DATASET_NOT_FOUND, DATASET_ARCHIVED.
   */
  add(
    tx: Tx,
    commit: CommitOptions & { files: readonly NewFile[] },
    also?: (outcomes: readonly AddOutcome[]) => Promise<void>,
  ): Promise<CommitResult>;
  /** The same for any number of files, which are pulled slice by slice and never held together. */
  addAll(
    tx: Tx,
    commit: CommitOptions & { slices: AsyncIterable<readonly NewFile[]> },
    onOutcome?: (outcome: AddOutcome, file: NewFile) => void,
  ): Promise<{ version: number }>;
  /**
   * Ends files, or a folder with all that is in it ('' for everything). `missing` are ids without a current file, and under
   * `purge` without any; they are passed over.
   */
  end(tx: Tx, commit: EndOptions): Promise<{ version: number } & Ended>;
  /** Gives a current file another status without a new version; throws FILE_NOT_FOUND. */
  setStatus(
    tx: Tx,
    change: { datasetId: string; fileId: string; status: FileStatus; error?: string },
  ): Promise<FileRow>;
  /** Gives a file another path; throws FILE_NOT_FOUND, FILE_ALREADY_EXISTS, DIRECTORY_ALREADY_EXISTS. */
  move(tx: Tx, change: { datasetId: string; by: string; fileId: string; path: string }): Promise<FileRow>;
  /** Creates a folder that stays when it is empty; throws DIRECTORY_ALREADY_EXISTS, FILE_ALREADY_EXISTS. */
  createDirectory(
    tx: Tx,
    change: { datasetId: string; by: string; path: string },
  ): Promise<{ path: string; createdAt: string }>;
  /** Ends a folder with all that is in it; throws NOT_FOUND. */
  endDirectory(
    tx: Tx,
    change: { datasetId: string; by: string; path: string; purge?: boolean },
  ): Promise<{ version: number; endedFiles: number }>;
};

export type FileCommitServices = {
  clock: Clock;
  blobs: Pick<BlobStore, 'release' | 'retain'>;
  buckets?: BucketLimits;
};

export function createFileCommits({ clock, blobs, buckets = bucketLimits }: FileCommitServices): FileCommits {
  const services = { clock, blobs, buckets };

  async function openForFiles(tx: Tx, commit: CommitOptions): Promise<CommitDraft> {
    const draft = await openCommitDraft(tx, services, commit);
    if (draft.dataset.status === 'ARCHIVED') throw dataErrors.DATASET_ARCHIVED({ id: commit.datasetId });
    if (commit.replacing !== undefined)
      await draft.change({ ended: await listCurrentFiles(tx, commit.datasetId, [commit.replacing.fileId]) });
    return draft;
  }

  async function releaseSuperseded({ tx, superseded }: CommitDraft): Promise<void> {
    if (superseded.length > 0) await blobs.release(tx, superseded.splice(0));
  }

  return {
    async add(tx, commit, also) {
      const outcomes: AddOutcome[] = [];
      const additions = createAdditions(tx, commit.datasetId, commit);
      const [draft] = await together([
        openForFiles(tx, commit),
        // A file that is to be replaced leaves its path first.
        commit.replacing === undefined ? additions.learn() : undefined,
      ]);
      await additions.addTo(draft, (outcome) => outcomes.push(outcome));
      const [version] = await together([draft.close(commit.message), also?.(outcomes)]);
      await releaseSuperseded(draft);
      return { version, outcomes };
    },

    async addAll(tx, commit, onOutcome = () => {}) {
      const draft = await openForFiles(tx, commit);
      for await (const files of commit.slices) {
        await createAdditions(tx, commit.datasetId, { ...commit, files }).addTo(draft, onOutcome);
        await releaseSuperseded(draft);
      }
      return { version: await draft.close(commit.message) };
    },

    async end(tx, commit) {
      const draft = await openCommitDraft(tx, services, commit);
      const purge = commit.purge ?? false;
      const ended =
        'fileIds' in commit
          ? await endFilesById(draft, blobs, commit.fileIds, purge)
          : { endedFiles: await endFolder(draft, blobs, commit.prefix, purge), missing: [] };
      return { version: await draft.close(commit.message), ...ended };
    },

    setStatus: (tx, change) => setFileStatus(tx, services, change),

    async move(tx, { datasetId, by, fileId, path }) {
      const draft = await openCommitDraft(tx, services, { datasetId, by });
      const file = await moveFile(draft, blobs, fileId, path);
      await draft.close(`Moved to ${path}`);
      return file;
    },

    async createDirectory(tx, { datasetId, by, path }) {
      const draft = await openCommitDraft(tx, services, { datasetId, by });
      if (draft.dataset.status === 'ARCHIVED') throw dataErrors.DATASET_ARCHIVED({ id: datasetId });
      await createDirectory(draft, path);
      await draft.close(`Created folder ${path}`);
      return { path, createdAt: draft.now };
    },

    async endDirectory(tx, { datasetId, by, path, purge }) {
      const draft = await openCommitDraft(tx, services, { datasetId, by });
      const endedFiles = await endDirectory(draft, blobs, path, purge ?? false);
      return { version: await draft.close(`Deleted folder ${path}`), endedFiles };
    },
  };
}
