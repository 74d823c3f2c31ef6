import { isoNow, type Clock } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/ids.ts';
import type { BlobStore, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';
import { createGroupCommit, type GroupCommit, type Waiting } from '../../../kernel/group-commit.ts';
import { together } from '../../../storage/database/together.ts';
import type { UploadFilesTable, UploadsTable } from '../../../storage/database/tables/uploads.ts';
import { dataErrors } from '../errors.ts';
import type { FileCommits, FileRow, NewFile } from '../files/file-commits.ts';
import { insertArchives } from '../queries/archives.ts';
import { lockDataset } from '../queries/commits.ts';
import {
  addCompleted,
  closeVersionOfFinished,
  completeUploadFiles,
  findUpload,
  listUploadFilesAt,
} from '../queries/uploads.ts';

/** A file of an upload with all its bytes received. */
export type ReadyFile = {
  /** Its counts grow once the file is complete. */
  session: {
    readonly upload: UploadsTable;
    readonly isShared: boolean;
    startedFiles: number;
    completedFiles: number;
    receivedBytes: number;
  };
  fileNo: number;
  fileName: string;
  path: string;
  totalChunks: number;
  /** Null for a file of a single chunk. */
  assemblyId: string | null;
  staged: StagedBlob;
  /** Set when the file is to be unpacked; it is listed as PROCESSING until then. */
  archive: { announced: boolean } | undefined;
};

/** Another node has taken the number, with the same file or another one. */
export class TakenNumberError extends Error {
  override readonly name = 'TakenNumberError';
  readonly row: UploadFilesTable;

  constructor(row: UploadFilesTable) {
    super(`File ${row.file_no} of the upload is there already`);
    this.row = row;
  }
}

export type CompletedFile = { file: FileRow; staged: StagedBlob };

/**
 * Adds complete files to their dataset, many at a time. `commit` resolves when the file survives power loss; when it rejects,
 * nothing of the file is kept except its assembly. It rejects with TakenNumberError if another node was faster.
 */
export type UploadCommitter = GroupCommit<ReadyFile, CompletedFile>;

type AddedFile = { ready: ReadyFile; file: FileRow };

type Waiter = Waiting<ReadyFile, CompletedFile>;

/** Limits the size of one transaction. */
const maxGroupFiles = 2_000;

/** A group of files costs one fsync of bytes and one transaction per dataset, whatever its size. */
export function createUploadCommitter({
  db,
  blobs,
  commits,
  clock,
  onArchives,
}: {
  db: Database;
  blobs: BlobStore;
  commits: FileCommits;
  clock: Clock;
  /** Called when archives were committed and wait to be unpacked. */
  onArchives(): void;
}): UploadCommitter {
  const state = { reversed: false };
  const groups = createGroupCommit(commitFiles, { maxItems: maxGroupFiles });

  async function commitFiles(group: readonly Waiter[]): Promise<void> {
    // The bytes become durable while the statements run; the caller that adopts them must wait.
    const flushed = blobs.flush();
    flushed.catch(() => {});
    const byDataset = Map.groupBy(group, ({ item }) => item.session.upload.dataset_id);
    await Promise.all([...byDataset.values()].map((files) => commitGroup(files, flushed)));
  }

  /** Commits the files of one dataset in one transaction; a file in conflict with another fails alone. */
  async function commitGroup(group: readonly Waiter[], flushed: Promise<void>): Promise<void> {
    let failures: Map<Waiter, Error>;
    const rows = new Map<Waiter, FileRow>();
    const figures = new Map<string, UploadFigures>();
    try {
      failures = await db.write((tx) => addGroup(tx, group, { rows, flushed, figures }));
    } catch (error) {
      failures = new Map(group.map((waiter) => [waiter, error as Error]));
    }
    const durable = await flushed.then(
      () => true,
      () => false,
    );
    // A file in conflict may be retried if it is an assembly; bytes that were not made durable are lost.
    const settled = settle(
      group
        .filter((waiter) => !durable || !failures.has(waiter) || waiter.item.assemblyId === null)
        .map((waiter) => waiter.item),
    );
    let archives = false;
    for (const waiter of group) {
      const failure = failures.get(waiter);
      const file = rows.get(waiter);
      if (failure === undefined && file !== undefined) {
        archives ||= waiter.item.archive !== undefined;
        countFile(waiter.item.session, figures);
        waiter.resolve({ file, staged: waiter.item.staged });
      } else {
        waiter.reject(failure ?? new Error('The commit gave no outcome for this file'));
      }
    }
    if (archives) onArchives();
    await settled;
  }

  /** Adds the files of each upload as one commit; returns those in conflict with another file. */
  async function addGroup(
    tx: Tx,
    group: readonly Waiter[],
    { rows, flushed, figures }: GroupState,
  ): Promise<Map<Waiter, Error>> {
    const failures = new Map<Waiter, Error>();
    const [any] = group;
    const isShared = any?.item.session.isShared === true;
    // From here on no other node adds files to the dataset: what is read below stays true.
    if (isShared) await lockDataset(tx, any.item.session.upload.dataset_id);
    const byUpload = Map.groupBy(group, ({ item }) => item.session.upload.id);
    for (const uploadId of inTurn([...byUpload.keys()])) await addOfUpload(byUpload.get(uploadId) ?? []);
    return failures;

    async function addOfUpload(given: readonly Waiter[]): Promise<void> {
      const [first] = given;
      if (first === undefined) return;
      const { upload } = first.item.session;
      const stored = isShared ? await findUpload(tx, upload.id) : undefined;
      const waiters = isShared ? await listWelcome(tx, stored, given, failures) : given;
      if (waiters.length === 0) return;
      const completedBefore = stored?.completed_files ?? first.item.session.completedFiles;
      let completed = completedBefore;
      const batches = upload.on_conflict === 'REPLACE' ? withoutRepeats(waiters) : [waiters];
      for (const batch of batches) completed += await addBatch(upload, completed, batch);
      if (upload.has_archive === 1 && completed >= upload.total_file_num)
        await closeVersionOfFinished(tx, { datasetId: upload.dataset_id, uploadId: upload.id });
      if (!isShared) return;
      const added = waiters.filter((waiter) => rows.has(waiter));
      const bytes = added.reduce((sum, { item }) => sum + item.staged.sizeBytes, 0);
      figures.set(upload.id, await addCompleted(tx, upload.id, { files: completed - completedBefore, bytes }));
    }

    /** Returns the number of files added. */
    async function addBatch(upload: UploadsTable, completed: number, waiters: readonly Waiter[]): Promise<number> {
      const { id, dataset_id: datasetId, created_by: by, on_conflict: onConflict } = upload;
      const files = waiters.map(({ item }) => toNewFile(item));
      // Archives will add their entries to the version too.
      const staysOpen = (count: number): boolean =>
        upload.has_archive === 1 || completed + count < upload.total_file_num;
      const added: AddedFile[] = [];
      const commit = { datasetId, by, onConflict, files, upload: { id, staysOpen } };
      await commits.add(tx, commit, async (outcomes) => {
        for (const [index, waiter] of waiters.entries()) {
          const outcome = outcomes[index];
          if (outcome?.kind === 'added') {
            rows.set(waiter, outcome.file);
            added.push({ ready: waiter.item, file: outcome.file });
          } else {
            failures.set(waiter, outcome?.error ?? new Error('The commit gave no outcome for this file'));
          }
        }
        await flushed;
        await storeAdded(tx, added);
      });
      return added.length;
    }
  }

  /** Leaves out files of an upload that has ended, and those that another node has begun or completed under their numbers. */
  async function listWelcome(
    tx: Tx,
    upload: UploadsTable | undefined,
    waiters: readonly Waiter[],
    failures: Map<Waiter, Error>,
  ): Promise<Waiter[]> {
    if (upload === undefined) {
      for (const waiter of waiters)
        failures.set(waiter, dataErrors.UPLOAD_NOT_FOUND({ id: waiter.item.session.upload.id }));
      return [];
    }
    const numbers = waiters.map(({ item }) => item.fileNo);
    const taken = await listUploadFilesAt(tx, upload.id, numbers);
    return waiters.filter((waiter) => {
      const { fileNo, assemblyId } = waiter.item;
      const row = taken.get(fileNo);
      const isOwn = row === undefined || (row.state === 'RECEIVING' && row.assembly_id === assemblyId);
      if (!isOwn) failures.set(waiter, new TakenNumberError(row));
      return isOwn;
    });
  }

  /**
   * Concurrent uploads into one dataset compete for its open version: every other group reverses their order, so that the last
   * upload's version can be extended.
   */
  function inTurn(uploadIds: string[]): string[] {
    state.reversed = !state.reversed;
    const sorted = uploadIds.toSorted();
    return state.reversed ? sorted.toReversed() : sorted;
  }

  /** Leaves out files in conflict: adopting the blob would keep its assembly from being retried. */
  async function storeAdded(tx: Tx, added: readonly AddedFile[]): Promise<void> {
    if (added.length === 0) return;
    const archives = added.filter(({ ready }) => ready.archive !== undefined);
    await together([
      blobs.adopt(
        tx,
        added.map(({ ready }) => ready.staged),
      ),
      completeUploadFiles(tx, added.map(toUploadFile)),
      archives.length === 0 ? undefined : insertArchives(tx, archives.map(toArchive)),
    ]);
  }

  function toArchive({ ready, file }: AddedFile) {
    return {
      id: newId(),
      upload_id: ready.session.upload.id,
      file_no: ready.fileNo,
      dataset_id: ready.session.upload.dataset_id,
      file_id: file.file_id,
      path: file.path,
      blob_id: ready.staged.id,
      created_by: ready.session.upload.created_by,
      on_conflict: ready.session.upload.on_conflict,
      unpack_into: ready.session.upload.unpack_into,
      name_encoding: ready.session.upload.name_encoding,
      announced: ready.archive?.announced === true ? 1 : 0,
      state: 'PENDING' as const,
      file_count: 0,
      total_size_bytes: 0,
      refused_count: 0,
      refusals: '[]',
      effects: '{}',
      error: null,
      node_id: null,
      created_at: isoNow(clock),
      ended_at: null,
    };
  }

  /** Erases unused bytes; if that fails, the store's sweep erases them. */
  async function settle(files: readonly ReadyFile[]): Promise<void> {
    await blobs.settle(files.map((file) => file.staged)).catch(() => {});
  }

  return groups;
}

type UploadFigures = Pick<UploadsTable, 'completed_files' | 'completed_bytes'>;

/** What a transaction has added, and what it says of the uploads that it shares with other nodes. */
type GroupState = { rows: Map<Waiter, FileRow>; flushed: Promise<void>; figures: Map<string, UploadFigures> };

function countFile(session: ReadyFile['session'], figures: ReadonlyMap<string, UploadFigures>): void {
  const known = figures.get(session.upload.id);
  if (known === undefined) {
    session.completedFiles++;
    return;
  }
  // Files of other nodes are among them.
  session.completedFiles = Math.max(session.completedFiles, known.completed_files);
  session.startedFiles = Math.max(session.startedFiles, session.completedFiles);
  session.receivedBytes = Math.max(session.receivedBytes, known.completed_bytes);
}

/** Files in arrival order, no path twice per batch: a repeated path replaces a file, which the version before keeps. */
function* withoutRepeats(waiters: readonly Waiter[]): Generator<readonly Waiter[]> {
  for (let rest = waiters; rest.length > 0;) {
    const firsts = new Map<string, Waiter>();
    for (const waiter of rest) if (!firsts.has(waiter.item.path)) firsts.set(waiter.item.path, waiter);
    if (firsts.size === rest.length) return yield rest;
    yield [...firsts.values()];
    rest = rest.filter((waiter) => firsts.get(waiter.item.path) !== waiter);
  }
}

function toNewFile({ path, fileName, staged, archive }: ReadyFile): NewFile {
  return {
    path,
    originalName: fileName,
    sizeBytes: staged.sizeBytes,
    status: archive !== undefined ? 'PROCESSING' : 'COMPLETED',
    blobId: staged.id,
  };
}

function toUploadFile({ ready, file }: AddedFile) {
  return {
    upload_id: ready.session.upload.id,
    file_no: ready.fileNo,
    file_name: ready.fileName,
    path: file.path,
    total_chunks: ready.totalChunks,
    assembly_id: ready.assemblyId,
    state: 'COMPLETED' as const,
    file_id: file.file_id,
    blob_id: ready.staged.id,
    size_bytes: ready.staged.sizeBytes,
    crc32: ready.staged.crc32,
  };
}
