import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { UploadFilesTable } from '../../../storage/database/tables/uploads.ts';
import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { joinPath } from '../../../kernel/file-path.ts';
import type { ChunkForm } from './chunk-form.ts';
import { dataErrors } from '../errors.ts';
import { BegunElsewhereError, createReceivingFileStore, GoneChunksError } from './receiving-file-store.ts';
import type { ReceivingFile, UploadSession } from './upload-session.ts';
import { deleteUploadFile, findUploadFile } from '../queries/upload-files.ts';

/** A chunk's fields about its file. */
type FileForm = Pick<ChunkForm, 'fileNo' | 'fileName' | 'totalChunkNum'>;

/** What exists under a chunk's file number. */
export type FoundFile =
  | { kind: 'new'; path: string }
  | { kind: 'receiving'; file: ReceivingFile }
  | { kind: 'completed'; row: UploadFilesTable };

/** The unfinished files of uploads: finds and starts them, and forgets those without a kept chunk. */
export type ReceivingFiles = {
  /** Finds the file of a chunk; throws UPLOAD_CONFLICT when its number has another file name or number of chunks. */
  find(session: UploadSession, form: FileForm): Promise<FoundFile>;
  /** Starts a file of several chunks; undefined when a concurrent call was faster: look again. */
  begin(session: UploadSession, form: ChunkForm, path: string): Promise<ReceivingFile | undefined>;
  /** Opens the unfinished file of a row, until `leave`; undefined when it has just been completed. */
  enter(session: UploadSession, row: UploadFilesTable): Promise<ReceivingFile | undefined>;
  /** Call when a chunk call has finished with a file. */
  leave(session: UploadSession, file: ReceivingFile): Promise<void>;
  /** Throws DATASET_NOT_FOUND, DATASET_ARCHIVED, and under ERROR FILE_ALREADY_EXISTS, before bytes are sent in vain. */
  checkDataset(session: UploadSession, path?: string): Promise<void>;
};

/** Idle files of one upload kept in memory. */
const maxIdleFiles = 1_000;

export function createReceivingFiles({ db, blobs }: { db: Database; blobs: BlobStore }): ReceivingFiles {
  const { restore, create, drop, checkDataset } = createReceivingFileStore({ db, blobs });

  async function find(session: UploadSession, form: FileForm): Promise<FoundFile> {
    const { fileNo } = form;
    for (;;) {
      const changing = session.changing.get(fileNo);
      if (changing !== undefined) {
        await changing;
        continue;
      }
      const known = session.receiving.get(fileNo);
      if (known !== undefined) {
        try {
          return take(await known, form);
        } catch (error) {
          // The other node has stored its row: look again.
          if (error instanceof BegunElsewhereError) continue;
          throw error;
        }
      }
      // Files of a single chunk that another node has stored are found when they are committed.
      const isElsewhere = session.isShared && form.totalChunkNum > 1;
      const mayHaveRow = isElsewhere || session.knownFiles === undefined || session.knownFiles.has(fileNo);
      const row = mayHaveRow ? await findUploadFile(db.read, session.upload.id, fileNo) : undefined;
      // A concurrent call may have started or completed it during the read.
      if (mayHaveRow && (session.changing.has(fileNo) || session.receiving.has(fileNo))) continue;
      if (row === undefined) return { kind: 'new', path: newPath(session, form) };
      checkSame(form, row.file_name, row.total_chunks);
      if (row.state === 'COMPLETED') return { kind: 'completed', row };
      try {
        return take(await open(session, fileNo, () => restore(session, row)), form);
      } catch (error) {
        // Another node has forgotten it, because no chunk was kept.
        if (!session.isShared || !(error instanceof GoneChunksError)) throw error;
        await db.write((tx) => deleteUploadFile(tx, session.upload.id, row.assembly_id ?? ''));
      }
    }
  }

  function take(file: ReceivingFile, form: FileForm): FoundFile {
    checkSame(form, file.fileName, file.totalChunks);
    file.users++;
    return { kind: 'receiving', file };
  }

  /** One object per file, for all concurrent calls. */
  function open(session: UploadSession, fileNo: number, load: () => Promise<ReceivingFile>): Promise<ReceivingFile> {
    const promise = load();
    session.receiving.set(fileNo, promise);
    promise.catch(() => session.receiving.delete(fileNo));
    return promise;
  }

  return {
    find,
    checkDataset,

    async begin(session, form, path) {
      if (session.receiving.has(form.fileNo) || session.changing.has(form.fileNo)) return undefined;
      checkFileRoom(session);
      try {
        const file = await open(session, form.fileNo, () => create(session, form, path));
        file.users++;
        return file;
      } catch (error) {
        if (error instanceof BegunElsewhereError) return undefined;
        throw error;
      }
    },

    async enter(session, row) {
      const form = { fileNo: row.file_no, fileName: row.file_name, totalChunkNum: row.total_chunks };
      const found = await find(session, form);
      return found.kind === 'receiving' ? found.file : undefined;
    },

    async leave(session, file) {
      file.users--;
      if (file.users > 0 || file.completion !== undefined || session.ended) return;
      if (file.assembly.receivedChunks === 0) {
        session.receiving.delete(file.fileNo);
        const dropped = drop(session, file);
        const changing = dropped.catch(() => {}).then(() => void session.changing.delete(file.fileNo));
        session.changing.set(file.fileNo, changing);
        await dropped;
      } else if (session.receiving.size > maxIdleFiles) {
        session.receiving.delete(file.fileNo);
      }
    },
  };
}

/** The path of a new file; throws INVALID_PARAMETER when the upload has no room for another file. */
function newPath(session: UploadSession, { fileName }: FileForm): string {
  checkFileRoom(session);
  return joinPath('fileName', session.upload.prefix, fileName);
}

/** Throws INVALID_PARAMETER when the announced number of files has been started. */
export function checkFileRoom({ startedFiles, upload }: UploadSession): void {
  if (startedFiles < upload.total_file_num) return;
  throw invalid('fileNo', parameterProblems.EXCEEDS_ANNOUNCED_FILES.reason({ announced: upload.total_file_num }));
}

function checkSame(form: FileForm, fileName: string, totalChunks: number): void {
  if (form.fileName !== fileName) {
    const received = `file ${form.fileNo} as ${fileName}`;
    throw dataErrors.UPLOAD_CONFLICT({ received, remedy: 'give another file another fileNo' }, { field: 'fileName' });
  }
  if (form.totalChunkNum !== totalChunks) {
    const received = `file ${form.fileNo} in ${totalChunks} chunks, not ${form.totalChunkNum}`;
    throw dataErrors.UPLOAD_CONFLICT(
      { received, remedy: 'send the same totalChunkNum with every chunk' },
      { field: 'totalChunkNum' },
    );
  }
}
