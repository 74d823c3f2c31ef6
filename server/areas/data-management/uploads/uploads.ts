import { isoNow, type Clock } from '../../../kernel/clock.ts';
import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { parsePrefix } from '../../../kernel/file-path.ts';
import { newId } from '../../../kernel/ids.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { UploadsTable } from '../../../storage/database/tables/uploads.ts';
import { parseNameEncoding } from '../archives/name-encodings.ts';
import { dataErrors } from '../errors.ts';
import type { FileCompletion } from './file-completion.ts';
import { closeVersionOf, endUpload, findDatasetStatus, findUpload, insertUpload } from '../queries/uploads.ts';
import type { ReceivingFiles } from './receiving-files.ts';
import type { Announcement, UploadStatus } from '../schemas/uploads.ts';
import { createUploadStatuses } from './upload-status.ts';
import type { UploadSessions } from './upload-sessions.ts';
import type { UploadSettings } from '../upload-settings.ts';

export type Uploads = {
  /** Announces an upload; returns its request id. Throws DATASET_NOT_FOUND, DATASET_ARCHIVED, INVALID_PARAMETER. */
  announce(call: {
    datasetId: string;
    by: string;
    announcement: Announcement;
    /** Of the caller, as BCP 47 tags: a hint for the encoding of names in archives. */
    languages?: readonly string[];
  }): Promise<string>;
  /** Throws DATASET_NOT_FOUND, UPLOAD_NOT_FOUND. */
  status(datasetId: string, uploadId: string, fromFileNo?: number): Promise<UploadStatus>;
  /** Ends an upload; complete files stay in the dataset. Throws DATASET_NOT_FOUND, UPLOAD_NOT_FOUND. */
  abandon(datasetId: string, uploadId: string): Promise<void>;
};

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
  const statuses = createUploadStatuses({ db, blobs, sessions, files, completion, settings });

  async function getUpload(datasetId: string, uploadId: string): Promise<UploadsTable> {
    if ((await findDatasetStatus(db.read, datasetId)) === undefined)
      throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
    const upload = await findUpload(db.read, uploadId);
    if (upload === undefined || upload.dataset_id !== datasetId) throw dataErrors.UPLOAD_NOT_FOUND({ id: uploadId });
    return upload;
  }

  return {
    async announce({ datasetId, by, announcement, languages = [] }) {
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
        name_languages: languages.length === 0 ? null : languages.join(','),
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
      return statuses.read(upload, session, fromFileNo);
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
