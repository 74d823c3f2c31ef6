import { AppError } from '../../../kernel/errors.ts';
import { codedReason, storedReason } from '../../../kernel/sentences/index.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { isStorageFull } from '../../../storage/database/sql.ts';
import type { ArchivesTable, UploadFilesTable, UploadsTable } from '../../../storage/database/tables/uploads.ts';
import { isDatabaseUnavailable } from '../../../storage/database/unavailable.ts';
import {
  noEffects,
  refusalFrom,
  refusalOf,
  withWarnings,
  type IntakeEffects,
  type StoredRefusal,
} from '../archives/archive-receipt.ts';
import type { FileCompletion } from './file-completion.ts';
import { toRanges } from './number-ranges.ts';
import { listUploadArchives } from '../queries/archives.ts';
import type { ReceivingFiles } from './receiving-files.ts';
import type { ArchiveReceipt, IncompleteFile, UploadStatus } from '../schemas/uploads.ts';
import type { UploadSession } from './upload-session.ts';
import type { UploadSessions } from './upload-sessions.ts';
import type { UploadSettings } from '../upload-settings.ts';
import { listCompletedRanges, listReceivingFiles } from '../queries/upload-files.ts';

export type UploadStatuses = {
  /** How far an upload has come, with its files from `fromFileNo` on; completes files that only a crash left incomplete. */
  read(upload: UploadsTable, session: UploadSession, fromFileNo: number): Promise<UploadStatus>;
};

const maxRanges = 10_000;
const maxIncompleteFiles = 200;
const maxMissingChunks = 1_000;
const maxArchives = 200;

export function createUploadStatuses({
  db,
  blobs,
  sessions,
  files,
  completion,
  settings,
}: {
  db: Database;
  blobs: Pick<BlobStore, 'findAssembly'>;
  sessions: Pick<UploadSessions, 'count'>;
  files: Pick<ReceivingFiles, 'enter' | 'leave'>;
  completion: FileCompletion;
  settings: Pick<UploadSettings, 'idleMs'>;
}): UploadStatuses {
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
    async read(upload, session, fromFileNo) {
      const { id: uploadId, dataset_id: datasetId } = upload;
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
  };
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
    refusals: (JSON.parse(archive.refusals) as StoredRefusal[]).map((refusal) => refusalOf(refusalFrom(refusal))),
    ...withWarnings(effects),
    ...codedReason('error', storedReason('error', archive)),
  };
}
