import type { Clock } from '../../../kernel/clock.ts';
import type { AppError } from '../../../kernel/errors.ts';
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
import {
  createDirectory,
  createMissingDirectories,
  endDirectory,
  endFilesById,
  endFolder,
  type Ended,
} from './file-endings.ts';
import { closeVersion, listCurrentFiles, listCurrentFilesAt } from '../queries/commits.ts';

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
};

/** A file that ends in the version in which what replaces it comes, as an archive does; it must be there with this content. */
export type ReplacedFile = { fileId: string; blobId: string };

/**
 * The upload that a commit belongs to. All its commits are one version, which stays open in between; a commit of anybody else
 * closes it, and so does `closeVersion`: then the upload's next commit opens one more. What an upload has brought is never
 * erased by what it brings later: a commit that would replace it opens one more version as well.
 */
export type CommitUpload = {
  id: string;
  /** Whether more is to come when so many files of this commit have been added. */
  staysOpen(added: number): boolean;
};

export type EndOptions = {
  datasetId: string;
  by: string;
  message?: string;
  /** Erases every state of the files and their bytes from all versions, instead of ending them in the new one. */
  purge?: boolean;
} & ({ fileIds: readonly string[] } | { prefix: string });

/**
 * The only code that changes what a dataset holds. Each call is one version of the dataset (when it changes anything), or
 * part of the version of its upload, in the caller's transaction, with every counter, folder and rank anchor. On PostgreSQL
 * it first locks the dataset row.
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
    commit: CommitOptions & { files: readonly NewFile[]; upload?: CommitUpload },
    also?: (outcomes: readonly AddOutcome[]) => Promise<void>,
  ): Promise<CommitResult>;
  /**
   * The same for any number of files, which are pulled slice by slice and never held together. `paths` gives their paths
   * once more, where an upload's earlier files must be kept. Throws FILE_NOT_FOUND, too, when `replacing` is gone.
   */
  addAll(
    tx: Tx,
    commit: CommitOptions & {
      slices: AsyncIterable<readonly NewFile[]>;
      replacing?: ReplacedFile;
      upload?: CommitUpload & { paths(): AsyncIterable<readonly string[]> };
      /** Folders that are to be there, also when they are empty; those in conflict with a file are `refusedFolders`. */
      folders?: readonly string[];
    },
    onOutcome?: (outcome: AddOutcome, file: NewFile) => void,
  ): Promise<{ version: number; createdFolders: number; refusedFolders: { path: string; error: AppError }[] }>;
  /**
   * Ends files, or a folder with all that is in it ('' for everything). `missing` are ids without a current file, and under
   * `purge` without any; they are passed over.
   */
  end(tx: Tx, commit: EndOptions): Promise<{ version: number } & Ended>;
  /** Closes a version, if an upload holds it open: from then on it never changes. For those who read it piece by piece. */
  closeVersion(tx: Tx, datasetId: string, version: number): Promise<void>;
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

  async function openForFiles(tx: Tx, commit: CommitOptions & { upload?: CommitUpload }): Promise<CommitDraft> {
    const { datasetId, by, upload } = commit;
    const draft = await openCommitDraft(tx, services, { datasetId, by, uploadId: upload?.id });
    if (draft.dataset.status === 'ARCHIVED') throw dataErrors.DATASET_ARCHIVED({ id: datasetId });
    return draft;
  }

  /** Ends the file that is replaced by what comes. */
  async function endReplaced(draft: CommitDraft, { fileId, blobId }: ReplacedFile): Promise<void> {
    const current = await listCurrentFiles(draft.tx, draft.dataset.id, [fileId]);
    const ended = current.filter((row) => row.blob_id === blobId);
    if (ended.length === 0) throw dataErrors.FILE_NOT_FOUND({ id: fileId });
    await draft.change({ ended });
  }

  /** Whether files at these paths would take the place of what the open version has brought. */
  async function wouldErase(
    { tx, version, dataset }: CommitDraft,
    paths: AsyncIterable<readonly string[]>,
    replacing: ReplacedFile | undefined,
  ): Promise<boolean> {
    for await (const slice of paths) {
      const there = await listCurrentFilesAt(tx, dataset.id, slice);
      if (there.some((row) => row.added_version === version && row.file_id !== replacing?.fileId)) return true;
    }
    return false;
  }

  function mayErase({ isOpenVersion }: CommitDraft, { onConflict }: CommitOptions): boolean {
    return isOpenVersion && onConflict === 'REPLACE';
  }

  async function releaseSuperseded({ tx, superseded }: CommitDraft): Promise<void> {
    if (superseded.length > 0) await blobs.release(tx, superseded.splice(0));
  }

  return {
    async add(tx, commit, also) {
      const outcomes: AddOutcome[] = [];
      const additions = createAdditions(tx, commit.datasetId, commit);
      const [draft] = await together([openForFiles(tx, commit), additions.learn()]);
      if (mayErase(draft, commit) && (await additions.replaceAnyOf(draft.version))) draft.startOwn();
      let closing: Promise<[number, void]> | undefined;
      const close = (): Promise<[number, void]> => {
        const added = outcomes.filter(({ kind }) => kind === 'added').length;
        closing ??= together([draft.close(commit.message, commit.upload?.staysOpen(added)), also?.(outcomes)]);
        return closing;
      };
      // What closes the version goes along with its rows: every message to the database wakes two threads.
      const adding = additions.addTo(
        draft,
        (outcome) => outcomes.push(outcome),
        () => {
          close().catch(() => {});
        },
      );
      // Whatever fails, nothing may come after the end of the transaction.
      await together([adding, adding.then(close, () => closing)]);
      const [version] = await close();
      await releaseSuperseded(draft);
      return { version, outcomes };
    },

    async addAll(tx, commit, onOutcome = () => {}) {
      const { upload, replacing } = commit;
      const draft = await openForFiles(tx, commit);
      if (upload !== undefined && mayErase(draft, commit) && (await wouldErase(draft, upload.paths(), replacing)))
        draft.startOwn();
      if (replacing !== undefined) await endReplaced(draft, replacing);
      let added = 0;
      const note = (outcome: AddOutcome, file: NewFile): void => {
        if (outcome.kind === 'added') added++;
        onOutcome(outcome, file);
      };
      for await (const files of commit.slices) {
        await createAdditions(tx, commit.datasetId, { ...commit, files }).addTo(draft, note);
        await releaseSuperseded(draft);
      }
      const refusedFolders: { path: string; error: AppError }[] = [];
      const createdFolders = await createMissingDirectories(draft, commit.folders ?? [], (path, error) =>
        refusedFolders.push({ path, error }),
      );
      const version = await draft.close(commit.message, upload?.staysOpen(added));
      await releaseSuperseded(draft);
      return { version, createdFolders, refusedFolders };
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

    closeVersion,

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
