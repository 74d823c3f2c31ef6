import type { Clock } from '../../../kernel/clock.ts';
import type { AppError } from '../../../kernel/errors.ts';
import { versionMessages, type Reason } from '../../../kernel/sentences/index.ts';
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
import { restoreFiles } from './file-restoring.ts';
import { closeVersion, listCurrentFiles, listCurrentFilesAt } from '../queries/commits.ts';

export type { AddOutcome, ConflictPolicy, FileOrigin, FileRow, FileStatus, NewFile } from './file-additions.ts';

export type CommitResult = { version: number; outcomes: AddOutcome[] };

/** The author and dataset of a commit, and its conflict policy. */
export type CommitOptions = {
  datasetId: string;
  /** User name. */
  by: string;
  onConflict: ConflictPolicy;
  /** Message of the version. */
  message?: Reason;
};

/** A file that ends in the version that adds its replacement, such as an archive; it must exist with this content. */
export type ReplacedFile = { fileId: string; blobId: string };

/**
 * Content that ends in the version that adds the new files: a folder with everything in it ('' is the root), or files by id. It
 * ends first: the new files may use its paths.
 */
export type ReplacedContent = { prefix: string } | { fileIds: AsyncIterable<readonly string[]> };

/**
 * The upload that a commit belongs to. All its commits form one version, which stays open in between; a commit by anyone else
 * closes it, and so does `closeVersion`: then the upload's next commit starts another. Later files of an upload never erase its
 * earlier ones: a commit that would replace one starts another version too.
 */
export type CommitUpload = {
  id: string;
  /** Whether more files are to come after this commit has added `added`. */
  staysOpen(added: number): boolean;
};

export type EndOptions = {
  datasetId: string;
  by: string;
  message?: Reason;
  /** Erases every state of the files and their bytes from all versions, instead of ending them in the new one. */
  purge?: boolean;
} & ({ fileIds: readonly string[] } | { prefix: string });

/**
 * The only code that changes the content of a dataset. Each call is one version of the dataset (when it changes anything), or
 * part of its upload's version, in the caller's transaction, with every counter, folder and rank anchor. On PostgreSQL it first
 * locks the dataset row.
 */
export type FileCommits = {
  /**
   * Adds files as one version; returns the results in their order. Of equal paths in one commit the later file replaces the
   * earlier (REPLACE), is renamed (RENAME) or is a conflict (ERROR). A replaced file keeps its id. A file never replaces a folder
   * nor goes below a file, whatever the policy. `also` is work in the same transaction that needs only the results, such as
   * adopting the blobs. Throws DATASET_NOT_FOUND, DATASET_ARCHIVED.
   */
  add(
    tx: Tx,
    commit: CommitOptions & { files: readonly NewFile[]; upload?: CommitUpload },
    also?: (outcomes: readonly AddOutcome[]) => Promise<void>,
  ): Promise<CommitResult>;
  /**
   * Like `add`, for any number of files, which are pulled slice by slice and never held together. `paths` yields their paths a
   * second time, where an upload's earlier files must be kept. The content of `ending` also ends slice by slice, in the same
   * version. Also throws FILE_NOT_FOUND when `replacing` is gone.
   */
  addAll(
    tx: Tx,
    commit: CommitOptions & {
      slices: AsyncIterable<readonly NewFile[]>;
      replacing?: ReplacedFile;
      ending?: ReplacedContent;
      upload?: CommitUpload & { paths(): AsyncIterable<readonly string[]> };
      /** Folders to create, even if empty; those in conflict with a file are returned as `refusedFolders`. */
      folders?: readonly string[];
    },
    onOutcome?: (outcome: AddOutcome, file: NewFile) => void,
  ): Promise<{ version: number; createdFolders: number; refusedFolders: { path: string; error: AppError }[] }>;
  /**
   * Ends files, or a folder with everything in it ('' for the root). `missing` lists skipped ids: those without a current file,
   * or under `purge` without any.
   */
  end(tx: Tx, commit: EndOptions): Promise<{ version: number } & Ended>;
  /** Makes the content of an older version current again, as one version; returns the current one, unchanged if nothing differs. */
  restore(tx: Tx, change: { datasetId: string; by: string; version: number; message?: Reason }): Promise<number>;
  /** Closes a version that an upload holds open: it never changes again. For callers that read it piece by piece. */
  closeVersion(tx: Tx, datasetId: string, version: number): Promise<void>;
  /** Sets the status of a current file without a new version; throws FILE_NOT_FOUND. */
  setStatus(
    tx: Tx,
    change: { datasetId: string; fileId: string; status: FileStatus; error?: Reason },
  ): Promise<FileRow>;
  /** Changes the path of a file; throws FILE_NOT_FOUND, FILE_ALREADY_EXISTS, DIRECTORY_ALREADY_EXISTS. */
  move(tx: Tx, change: { datasetId: string; by: string; fileId: string; path: string }): Promise<FileRow>;
  /** Creates a folder that stays even if empty; throws DIRECTORY_ALREADY_EXISTS, FILE_ALREADY_EXISTS. */
  createDirectory(
    tx: Tx,
    change: { datasetId: string; by: string; path: string },
  ): Promise<{ path: string; createdAt: string }>;
  /** Ends a folder with everything in it; throws NOT_FOUND. */
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

  /** Ends the file that this commit replaces. */
  async function endReplaced(draft: CommitDraft, { fileId, blobId }: ReplacedFile): Promise<void> {
    const current = await listCurrentFiles(draft.tx, draft.dataset.id, [fileId]);
    const ended = current.filter((row) => row.blob_id === blobId);
    if (ended.length === 0) throw dataErrors.FILE_NOT_FOUND({ id: fileId });
    await draft.change({ ended });
  }

  async function endContent(draft: CommitDraft, content: ReplacedContent): Promise<void> {
    if ('prefix' in content) await endFolder(draft, blobs, content.prefix, false);
    else for await (const fileIds of content.fileIds) await endFilesById(draft, blobs, fileIds, false);
  }

  /** Whether files at these paths would replace files that the open version added. */
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
      // Close concurrently with the rows: every message to the database wakes two threads.
      const adding = additions.addTo(
        draft,
        (outcome) => outcomes.push(outcome),
        () => {
          close().catch(() => {});
        },
      );
      // Even after a failure, nothing may run past the end of the transaction.
      await together([adding, adding.then(close, () => closing)]);
      const [version] = await close();
      await releaseSuperseded(draft);
      return { version, outcomes };
    },

    async addAll(tx, commit, onOutcome = () => {}) {
      const { upload, replacing, ending } = commit;
      const draft = await openForFiles(tx, commit);
      if (upload !== undefined && mayErase(draft, commit) && (await wouldErase(draft, upload.paths(), replacing)))
        draft.startOwn();
      if (replacing !== undefined) await endReplaced(draft, replacing);
      if (ending !== undefined) await endContent(draft, ending);
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

    async restore(tx, { datasetId, by, version, message }) {
      const draft = await openForFiles(tx, { datasetId, by, onConflict: 'ERROR' });
      await restoreFiles(draft, blobs, version);
      return draft.close(message ?? versionMessages.RESTORED.reason({ version }));
    },

    closeVersion,

    setStatus: (tx, change) => setFileStatus(tx, services, change),

    async move(tx, { datasetId, by, fileId, path }) {
      const draft = await openCommitDraft(tx, services, { datasetId, by });
      const file = await moveFile(draft, blobs, fileId, path);
      await draft.close(versionMessages.MOVED.reason({ path }));
      return file;
    },

    async createDirectory(tx, { datasetId, by, path }) {
      const draft = await openCommitDraft(tx, services, { datasetId, by });
      if (draft.dataset.status === 'ARCHIVED') throw dataErrors.DATASET_ARCHIVED({ id: datasetId });
      await createDirectory(draft, path);
      await draft.close(versionMessages.FOLDER_CREATED.reason({ path }));
      return { path, createdAt: draft.now };
    },

    async endDirectory(tx, { datasetId, by, path, purge }) {
      const draft = await openCommitDraft(tx, services, { datasetId, by });
      const endedFiles = await endDirectory(draft, blobs, path, purge ?? false);
      return { version: await draft.close(versionMessages.FOLDER_DELETED.reason({ path })), endedFiles };
    },
  };
}
