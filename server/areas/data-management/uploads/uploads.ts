import { isoNow, type Clock } from '../../../kernel/clock.ts';
import { AppError, invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { parsePrefix } from '../../../kernel/file-path.ts';
import { newId } from '../../../kernel/ids.ts';
import { coded, readSentence } from '../../../kernel/sentences/index.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { isStorageFull } from '../../../storage/database/sql.ts';
import type { ArchivesTable, UploadFilesTable, UploadsTable } from '../../../storage/database/tables/uploads.ts';
import { isDatabaseUnavailable } from '../../../storage/database/unavailable.ts';
import { noEffects, refusalOf, type IntakeEffects, type RefusedEntry } from '../archives/archive-receipt.ts';
import { parseNameEncoding } from '../archives/name-encodings.ts';
import { dataErrors } from '../errors.ts';
import type { FileCompletion } from './file-completion.ts';
import { toRanges } from './number-ranges.ts';
import { listUploadArchives } from '../queries/archives.ts';
import { closeVersionOf, endUpload, findDatasetStatus, findUpload, insertUpload } from '../queries/uploads.ts';
import type { ReceivingFiles } from './receiving-files.ts';
import type { Announcement, ArchiveReceipt, IncompleteFile, UploadStatus } from '../schemas/uploads.ts';
import type { UploadSession } from './upload-session.ts';
import type { UploadSessions } from './upload-sessions.ts';
import type { UploadSettings } from '../upload-settings.ts';
import { listCompletedRanges, listReceivingFiles } from '../queries/upload-files.ts';

export type Uploads = {
  /** Announces an upload; returns its request id. Throws DATASET_NOT_FOUND, DATASET_ARCHIVED, INVALID_PARAMETER. */
  announce(call: { datasetId: string; by: string; announcement: Announcement }): Promise<string>;
  /** Throws DATASET_NOT_FOUND, UPLOAD_NOT_FOUND. */
  status(datasetId: string, uploadId: string, fromFileNo?: number): Promise<UploadStatus>;
  /** Ends an upload; complete files stay in the dataset. Throws DATASET_NOT_FOUND, UPLOAD_NOT_FOUND. */
  abandon(datasetId: string, uploadId: string): Promise<void>;
};

const maxRanges = 10_000;
const maxIncompleteFiles = 200;
const maxMissingChunks = 1_000;
const maxArchives = 200;
const maxAnnouncedFiles = 1_000_000;

export function createUploads({
  db,
  blobs,
  clock,
  sessions,
  files,
  completion,
  settings,
  onAbandoned,
}: {
  db: Database;
  blobs: BlobStore;
  clock: Clock;
  sessions: UploadSessions;
  files: ReceivingFiles;
  completion: FileCompletion;
  settings: UploadSettings;
  /** Called when an upload has ended; its data may be erased. */
  onAbandoned(uploadId: string): void;
}): Uploads {
  async function getUpload(datasetId: string, uploadId: string): Promise<UploadsTable> {
    if ((await findDatasetStatus(db.read, datasetId)) === undefined)
      throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
    const upload = await findUpload(db.read, uploadId);
    if (upload === undefined || upload.dataset_id !== datasetId) throw dataErrors.UPLOAD_NOT_FOUND({ id: uploadId });
    return upload;
  }

  /** A crash came between the last chunk and the commit: no client will send a chunk again, so the file is completed now. */
  async function completeStranded(session: UploadSession, row: UploadFilesTable): Promise<boolean> {
    const file = await files.enter(session, row);
    if (file === undefined) return true;
    try {
      if (file.assembly.receivedChunks < file.totalChunks) return false;
      await completion.complete(session, file);
      return true;
    } catch (error) {
      // For example a conflict with another file or a full disk: the file stays incomplete, and sending any of its chunks again
      // reports why.
      if (error instanceof AppError || isStorageFull(error) || isDatabaseUnavailable(error)) return false;
      throw error;
    } finally {
      await files.leave(session, file);
    }
  }

  async function toIncompleteFile(file: UploadFilesTable): Promise<IncompleteFile> {
    const assembly = file.assembly_id === null ? undefined : await blobs.findAssembly(file.assembly_id);
    return {
      fileNo: file.file_no,
      fileName: file.file_name,
      totalChunkNum: file.total_chunks,
      chunkSize: assembly?.chunkSizeBytes ?? null,
      receivedChunks: assembly?.receivedChunks ?? 0,
      receivedBytes: assembly?.receivedBytes ?? 0,
      missingChunks: toRanges(assembly?.missingChunks(maxMissingChunks) ?? []),
    };
  }

  return {
    async announce({ datasetId, by, announcement }) {
      const prefix = parsePrefix('prefix', announcement.prefix ?? '');
      checkRange('totalFileNum', announcement.totalFileNum, 1, maxAnnouncedFiles);
      checkRange('totalSize', announcement.totalSize, 0, Number.MAX_SAFE_INTEGER);
      if (announcement.chunkSize !== undefined)
        checkRange('chunkSize', announcement.chunkSize, 1, settings.maxChunkBytes);
      const { nameEncoding: label } = announcement;
      const nameEncoding = label === undefined ? null : parseNameEncoding(label);
      const status = await findDatasetStatus(db.read, datasetId);
      if (status === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
      if (status === 'ARCHIVED') throw dataErrors.DATASET_ARCHIVED({ id: datasetId });
      const now = isoNow(clock);
      const upload: UploadsTable = {
        id: newId(),
        dataset_id: datasetId,
        created_by: by,
        has_archive: announcement.hasArchive === true ? 1 : 0,
        total_file_num: announcement.totalFileNum,
        total_size_bytes: announcement.totalSize,
        prefix,
        chunk_size_bytes: announcement.chunkSize ?? null,
        on_conflict: announcement.onConflict ?? 'REPLACE',
        unpack_into: announcement.unpackInto ?? 'PREFIX',
        name_encoding: nameEncoding,
        calls: 0,
        completed_files: 0,
        completed_bytes: 0,
        created_at: now,
        active_at: now,
        ended_at: null,
      };
      await db.write((tx) => insertUpload(tx, upload));
      sessions.begin(upload);
      return upload.id;
    },

    async status(datasetId, uploadId, fromFileNo = 0) {
      const upload = await getUpload(datasetId, uploadId);
      const session = await sessions.find(uploadId);
      if (session === undefined) throw dataErrors.UPLOAD_NOT_FOUND({ id: uploadId });
      let receiving = await listReceivingFiles(db.scan, uploadId, fromFileNo, maxIncompleteFiles);
      let completedOne = false;
      for (const row of receiving) completedOne = (await completeStranded(session, row)) || completedOne;
      if (completedOne) receiving = await listReceivingFiles(db.scan, uploadId, fromFileNo, maxIncompleteFiles);
      const completed = await listCompletedRanges(db.scan, uploadId, fromFileNo, maxRanges);
      const archives = await listUploadArchives(db.read, uploadId, maxArchives);
      // Each list is cut off at its limit; both are complete up to the lower of their ends.
      const ends = [
        ...(completed.length === maxRanges ? [completed.at(-1)?.to ?? 0] : []),
        ...(receiving.length === maxIncompleteFiles ? [receiving.at(-1)?.file_no ?? 0] : []),
      ];
      const figures = await sessions.count(session);
      const incomplete: IncompleteFile[] = [];
      for (const file of receiving) incomplete.push(await toIncompleteFile(file));
      return {
        reqId: upload.id,
        datasetId,
        hasArchive: upload.has_archive === 1,
        totalFileNum: upload.total_file_num,
        totalSize: upload.total_size_bytes,
        prefix: upload.prefix,
        chunkSize: upload.chunk_size_bytes,
        onConflict: upload.on_conflict,
        unpackInto: upload.unpack_into,
        nameEncoding: upload.name_encoding,
        createdAt: upload.created_at,
        createdBy: upload.created_by,
        expiresAt: new Date(session.activeAtMs + settings.idleMs).toISOString(),
        uploadCompleted: figures.completedFiles >= upload.total_file_num,
        completedFiles: figures.completedFiles,
        incompleteFiles: figures.startedFiles - figures.completedFiles,
        missingFiles: upload.total_file_num - figures.startedFiles,
        receivedBytes: figures.receivedBytes,
        completed,
        incomplete,
        nextFileNo: ends.length === 0 ? null : Math.min(...ends) + 1,
        archives: archives.map(toReceipt),
      };
    },

    async abandon(datasetId, uploadId) {
      await getUpload(datasetId, uploadId);
      sessions.end(uploadId);
      const ended = await db.write(async (tx) => {
        const isNew = await endUpload(tx, uploadId, isoNow(clock));
        await closeVersionOf(tx, uploadId);
        return isNew;
      });
      // A concurrent call may have started another session.
      sessions.end(uploadId);
      if (!ended) throw dataErrors.UPLOAD_NOT_FOUND({ id: uploadId });
      onAbandoned(uploadId);
    },
  };
}

function checkRange(field: string, value: number, minimum: number, maximum: number): void {
  if (!Number.isInteger(value)) throw invalid(field, parameterProblems.MUST_BE_INTEGER.reason({}));
  if (value < minimum || value > maximum)
    throw invalid(field, parameterProblems.MUST_BE_FROM.reason({ from: minimum, to: maximum }));
}

const archiveStatus = {
  PENDING: 'PROCESSING',
  UNPACKED: 'UNPACKED',
  FAILED: 'ERROR',
  NOT_AN_ARCHIVE: 'NOT_AN_ARCHIVE',
} as const;

function toReceipt(archive: ArchivesTable): ArchiveReceipt {
  const effects = { ...noEffects(), ...(JSON.parse(archive.effects) as Partial<IntakeEffects>) };
  return {
    fileNo: archive.file_no,
    filePath: archive.path,
    status: archiveStatus[archive.state],
    files: archive.file_count,
    bytes: archive.total_size_bytes,
    refused: archive.refused_count,
    refusals: (JSON.parse(archive.refusals) as RefusedEntry[]).map(refusalOf),
    ...effects,
    warningSentences: effects.warnings.map(readSentence),
    ...coded('error', archive.error),
  };
}
