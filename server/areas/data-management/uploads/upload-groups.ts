import { isoNow, type Clock } from '../../../kernel/clock.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { together } from '../../../storage/database/together.ts';
import type { UploadsTable } from '../../../storage/database/tables/uploads.ts';
import { dataErrors } from '../errors.ts';
import type { FileCommits, FileRow } from '../files/file-commits.ts';
import { insertArchives } from '../queries/archives.ts';
import { lockDataset } from '../queries/commits.ts';
import { addCompleted, closeVersionOfFinished, findUpload } from '../queries/uploads.ts';
import { toArchive, toNewFile, toUploadFile, type AddedFile } from './added-rows.ts';
import { TakenNumberError, type WaitingFile } from './ready-file.ts';
import { completeUploadFiles, listUploadFilesAt } from '../queries/upload-files.ts';

/** The files that a transaction has added and refused, and the totals of uploads that several nodes share. */
export type GroupOutcome = {
  rows: Map<WaitingFile, FileRow>;
  failures: Map<WaitingFile, Error>;
  figures: Map<string, GroupFigures>;
};

export type GroupFigures = Pick<UploadsTable, 'completed_files' | 'completed_bytes'>;

/** Adds files of one dataset, which may be of several uploads, in a transaction. */
export type UploadGroups = {
  /** Adds the files of each upload as one commit, once their bytes are `flushed`; a file in conflict with another fails alone. */
  add(tx: Tx, group: readonly WaitingFile[], flushed: Promise<void>): Promise<GroupOutcome>;
};

export function createUploadGroups({
  blobs,
  commits,
  clock,
}: {
  blobs: Pick<BlobStore, 'adopt'>;
  commits: Pick<FileCommits, 'add'>;
  clock: Clock;
}): UploadGroups {
  const state = { reversed: false };

  async function addOfUpload(
    tx: Tx,
    given: readonly WaitingFile[],
    flushed: Promise<void>,
    outcome: GroupOutcome,
  ): Promise<void> {
    const [first] = given;
    if (first === undefined) return;
    const { upload, isShared } = first.item.session;
    const stored = isShared ? await findUpload(tx, upload.id) : undefined;
    const waiters = isShared ? await listWelcome(tx, stored, given, outcome.failures) : given;
    if (waiters.length === 0) return;
    const completedBefore = stored?.completed_files ?? first.item.session.completedFiles;
    let completed = completedBefore;
    const batches = upload.on_conflict === 'REPLACE' ? withoutRepeats(waiters) : [waiters];
    for (const batch of batches) completed += await addBatch(tx, { upload, completed, flushed }, batch, outcome);
    if (upload.has_archive === 1 && completed >= upload.total_file_num)
      await closeVersionOfFinished(tx, { datasetId: upload.dataset_id, uploadId: upload.id });
    if (!isShared) return;
    const added = waiters.filter((waiter) => outcome.rows.has(waiter));
    const bytes = added.reduce((sum, { item }) => sum + item.staged.sizeBytes, 0);
    outcome.figures.set(upload.id, await addCompleted(tx, upload.id, { files: completed - completedBefore, bytes }));
  }

  /** Returns the number of files added. */
  async function addBatch(
    tx: Tx,
    { upload, completed, flushed }: { upload: UploadsTable; completed: number; flushed: Promise<void> },
    waiters: readonly WaitingFile[],
    { rows, failures }: GroupOutcome,
  ): Promise<number> {
    const { id, dataset_id: datasetId, created_by: by, on_conflict: onConflict } = upload;
    const files = waiters.map(({ item }) => toNewFile(item));
    // Archives will add their entries to the version too.
    const staysOpen = (count: number): boolean => upload.has_archive === 1 || completed + count < upload.total_file_num;
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

  /** Omits files of an ended upload, and those whose numbers another node has begun or completed. */
  async function listWelcome(
    tx: Tx,
    upload: UploadsTable | undefined,
    waiters: readonly WaitingFile[],
    failures: Map<WaitingFile, Error>,
  ): Promise<WaitingFile[]> {
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

  /** Omits files in conflict: adopting the blob would prevent a retry with its assembly. */
  async function storeAdded(tx: Tx, added: readonly AddedFile[]): Promise<void> {
    if (added.length === 0) return;
    const archives = added.filter(({ ready }) => ready.archive !== undefined);
    await together([
      blobs.adopt(
        tx,
        added.map(({ ready }) => ready.staged),
      ),
      completeUploadFiles(tx, added.map(toUploadFile)),
      archives.length === 0
        ? undefined
        : insertArchives(
            tx,
            archives.map((one) => toArchive(one, isoNow(clock))),
          ),
    ]);
  }

  return {
    async add(tx, group, flushed) {
      const outcome: GroupOutcome = { rows: new Map(), failures: new Map(), figures: new Map() };
      const [any] = group;
      // Lock out commits of other nodes, so that the reads below stay valid.
      if (any?.item.session.isShared === true) await lockDataset(tx, any.item.session.upload.dataset_id);
      const byUpload = Map.groupBy(group, ({ item }) => item.session.upload.id);
      for (const uploadId of inTurn([...byUpload.keys()]))
        await addOfUpload(tx, byUpload.get(uploadId) ?? [], flushed, outcome);
      return outcome;
    },
  };
}

/** Files in arrival order, no path twice per batch: a repeated path replaces a file, which the version before keeps. */
function* withoutRepeats(waiters: readonly WaitingFile[]): Generator<readonly WaitingFile[]> {
  for (let rest = waiters; rest.length > 0;) {
    const firsts = new Map<string, WaitingFile>();
    for (const waiter of rest) if (!firsts.has(waiter.item.path)) firsts.set(waiter.item.path, waiter);
    if (firsts.size === rest.length) return yield rest;
    yield [...firsts.values()];
    rest = rest.filter((waiter) => firsts.get(waiter.item.path) !== waiter);
  }
}
