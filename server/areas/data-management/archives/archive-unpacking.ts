import { AppError } from '../../../kernel/errors.ts';
import { reasonOf } from '../../../kernel/reasoned-error.ts';
import { parentOf } from '../../../kernel/file-path.ts';
import { versionMessages, archiveProblems, type Reason } from '../../../kernel/sentences/index.ts';
import type { BlobReader, BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { Signals } from '../../../storage/database/signals.ts';
import { isStorageFull } from '../../../storage/database/sql.ts';
import type { ArchivesTable } from '../../../storage/database/tables/uploads.ts';
import { isStorageAway } from '../../../storage/blobs/index.ts';
import type { FileCommits } from '../files/file-commits.ts';
import { countUnpacking, isProcessing, noteArchiveProgress } from '../queries/archives.ts';
import type { UploadSettings } from '../upload-settings.ts';
import { formatOf, readAll } from './archive-bytes.ts';
import { unpackFolderOf } from './archive-format.ts';
import { createArchiveIntake, type ArchiveIntake } from './archive-intake.ts';
import type { IntakeReceipt } from './archive-receipt.ts';
import { ArchiveError, createArchiveGauge } from './archive-limits.ts';
import { Overtaken, ownerOf, type ArchiveOutcomes } from './archive-outcomes.ts';
import { parseNameEncoding } from './name-encodings.ts';
import { LostEntriesError, type StagedEntries } from './staged-entries.ts';
import { readTar } from './tar-archive.ts';
import { readZip } from './zip-archive.ts';

/** Unpacks claimed archives, from their bytes to the commit of their entries. */
export type ArchiveUnpacking = {
  /** Throws `Stopped` and `Overtaken`, after which the archive starts over, and errors that the archive did not cause. */
  unpack(archive: ArchivesTable, isStopped: () => boolean): Promise<void>;
  /** Archives whose bytes are in the data folder of another node. */
  readonly elsewhere: ReadonlySet<string>;
  progressOf(uploadId: string, fileNo: number): ArchiveProgress | undefined;
};

export type ArchiveProgress = Pick<IntakeReceipt, 'files' | 'bytes' | 'refused'>;

/** Interval of progress reports to other nodes. */
const progressEveryMs = 1_000;

/** The work was stopped; the archive is not at fault. */
export class Stopped extends Error {}

export function createArchiveUnpacking({
  db,
  blobs,
  commits,
  stagedEntries,
  outcomes,
  settings,
  signals,
}: {
  db: Database;
  blobs: BlobStore;
  commits: FileCommits;
  stagedEntries: StagedEntries;
  outcomes: ArchiveOutcomes;
  settings: Pick<UploadSettings, 'archives'>;
  signals: Signals;
}): ArchiveUnpacking {
  const intakes = new Map<ArchivesTable, ArchiveIntake>();
  const elsewhere = new Set<string>();

  async function unpack(archive: ArchivesTable, isStopped: () => boolean): Promise<void> {
    const prefix = archive.unpack_into === 'FOLDER' ? unpackFolderOf(archive.path) : parentOf(archive.path);
    const intake = createArchiveIntake({ db, blobs, commits, stagedEntries, prefix });
    intakes.set(archive, intake);
    const progress = db.dialect === 'postgres' ? setInterval(() => tell(archive, intake), progressEveryMs) : undefined;
    try {
      await takeEntries(archive, intake, isStopped);
    } catch (error) {
      if (error instanceof Stopped) {
        await intake.leave();
        await db.write((tx) => countUnpacking(tx, archive.id, -1)).catch(() => undefined);
        throw error;
      }
      // The archive is not at fault and starts over.
      if (isStorageAway(error) || error instanceof LostEntriesError || error instanceof Overtaken) {
        await intake.discard().catch(() => undefined);
        throw error;
      }
      await intake.discard();
      if (error instanceof AppError && error.code === 'BLOB_ELSEWHERE') {
        elsewhere.add(archive.id);
        await outcomes.release(archive);
        throw new Overtaken();
      }
      await outcomes.fail(
        archive,
        error instanceof NothingTakenError ? error.receipt : intake.receipt(),
        failureOf(error),
      );
      if (!isExpected(error)) throw error;
    } finally {
      clearInterval(progress);
      intakes.delete(archive);
      signals.send('upload-changed', archive.upload_id);
    }
  }

  /** Publishes the progress: clients may follow the upload on other nodes. */
  function tell(archive: ArchivesTable, intake: ArchiveIntake): void {
    const { files, bytes, refused } = intake.receipt();
    const progress = { file_count: files, total_size_bytes: bytes, refused_count: refused };
    noteArchiveProgress(db.read, archive.id, ownerOf(archive), progress).then(
      () => signals.send('upload-changed', archive.upload_id),
      // The next report follows in a second.
      () => undefined,
    );
  }

  async function takeEntries(archive: ArchivesTable, intake: ArchiveIntake, isStopped: () => boolean): Promise<void> {
    if (!(await isProcessing(db.read, archive.file_id, archive.blob_id))) throw goneError();
    const reader = await blobs.open(archive.blob_id);
    try {
      const watched = stoppable(reader, isStopped);
      const format = await formatOf(watched, archive.announced === 1);
      if (format === undefined) {
        await intake.discard();
        await outcomes.keepAsFile(archive);
        return;
      }
      const gauge = createArchiveGauge(settings.archives);
      const { name_encoding: label, name_languages: languages } = archive;
      const names = {
        nameEncoding: label === null ? undefined : parseNameEncoding(label),
        languages: languages?.split(','),
      };
      if (format === 'zip') await readZip(watched, intake, gauge, names);
      else await readTar(readAll(watched), intake, gauge, names);
    } finally {
      await reader.close();
    }
    // An archive without a usable entry stays as a file, so that its content isn't lost.
    if (intake.files === 0 && intake.receipt().refused > 0) throw new NothingTakenError(intake.receipt());
    const commit = intake.commit(
      {
        datasetId: archive.dataset_id,
        by: archive.created_by,
        onConflict: archive.on_conflict,
        replacing: { fileId: archive.file_id, blobId: archive.blob_id },
        message: versionMessages.UNPACKED.reason({ path: archive.path }),
        upload: { id: archive.upload_id, staysOpen: () => true },
      },
      async (tx, receipt) => {
        if (receipt.files === 0 && receipt.refused > 0) throw new NothingTakenError(receipt);
        await outcomes.recordUnpacked(tx, archive, receipt);
      },
    );
    await commit.catch((error: unknown) => {
      // If the archive was deleted or replaced meanwhile, its entries are not wanted.
      throw error instanceof AppError && error.code === 'FILE_NOT_FOUND' ? goneError() : error;
    });
  }

  return {
    unpack,
    elsewhere,
    progressOf(uploadId, fileNo) {
      for (const [archive, intake] of intakes) {
        if (archive.upload_id !== uploadId || archive.file_no !== fileNo) continue;
        const { files, bytes, refused } = intake.receipt();
        return { files, bytes, refused };
      }
      return undefined;
    },
  };
}

/** Reads that fail once the unpacker stops. */
function stoppable(reader: BlobReader, isStopped: () => boolean): BlobReader {
  return {
    facts: reader.facts,
    close: () => reader.close(),
    read(target, position) {
      if (isStopped()) return Promise.reject(new Stopped());
      return reader.read(target, position);
    },
  };
}

function goneError(): ArchiveError {
  return new ArchiveError(archiveProblems.ARCHIVE_GONE.reason({}));
}

/** Every entry was refused, some of them only at the commit because their names are taken. */
class NothingTakenError extends ArchiveError {
  readonly receipt: IntakeReceipt;

  constructor(receipt: IntakeReceipt) {
    const [first] = receipt.refusals;
    super(
      first === undefined
        ? archiveProblems.NOTHING_TAKEN.reason({})
        : archiveProblems.NOTHING_TAKEN_FIRST.reason({ why: first.reason }),
    );
    this.receipt = receipt;
  }
}

function isExpected(error: unknown): boolean {
  return error instanceof ArchiveError || error instanceof AppError;
}

function failureOf(error: unknown): Reason {
  if (isExpected(error)) return reasonOf(error as Error);
  return (isStorageFull(error) ? archiveProblems.UNPACK_STORAGE_FULL : archiveProblems.UNPACK_FAILED).reason({});
}
