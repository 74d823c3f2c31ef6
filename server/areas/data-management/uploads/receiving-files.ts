import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { isUniqueViolation } from '../../../storage/database/sql.ts';
import type { UploadFilesTable } from '../../../storage/database/tables/uploads.ts';
import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { joinPath } from '../../../kernel/file-path.ts';
import type { ChunkForm } from './chunk-form.ts';
import { dataErrors } from '../errors.ts';
import { createNumberRanges } from './number-ranges.ts';
import { findDatasetStatus, findUpload, listTakenPaths } from '../queries/uploads.ts';
import { noteFile, type ReceivingFile, type UploadSession } from './upload-sessions.ts';
import { deleteUploadFile, findUploadFile, insertUploadFile } from '../queries/upload-files.ts';

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

class GoneChunksError extends Error {}

/** Another node was faster. */
class BegunElsewhereError extends Error {}

/** Idle files of one upload kept in memory. */
const maxIdleFiles = 1_000;

export function createReceivingFiles({ db, blobs }: { db: Database; blobs: BlobStore }): ReceivingFiles {
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

  async function restore(session: UploadSession, row: UploadFilesTable): Promise<ReceivingFile> {
    const assembly = row.assembly_id === null ? undefined : await blobs.findAssembly(row.assembly_id);
    if (assembly === undefined) {
      const { id } = session.upload;
      // The upload has ended since its row was read, and its data is being erased.
      if ((await findUpload(db.read, id)) === undefined) throw dataErrors.UPLOAD_NOT_FOUND({ id });
      throw new GoneChunksError(`The chunks of file ${row.file_no} of upload ${id} are gone from the storage`);
    }
    const received = createNumberRanges();
    const missing = new Set(assembly.missingChunks(row.total_chunks));
    for (let chunkNo = 1; chunkNo <= row.total_chunks; chunkNo++) if (!missing.has(chunkNo)) received.add(chunkNo);
    return {
      fileNo: row.file_no,
      fileName: row.file_name,
      path: row.path,
      totalChunks: row.total_chunks,
      assembly,
      received,
      counted: new Map(),
      users: 0,
      head: undefined,
      completion: undefined,
    };
  }

  async function create(session: UploadSession, form: ChunkForm, path: string): Promise<ReceivingFile> {
    session.startedFiles++;
    try {
      await checkDataset(session, path);
      const assembly = await blobs.createAssembly({
        totalChunks: form.totalChunkNum,
        chunkSizeBytes: session.upload.chunk_size_bytes,
      });
      try {
        await db.write((tx) =>
          insertUploadFile(tx, {
            upload_id: session.upload.id,
            file_no: form.fileNo,
            file_name: form.fileName,
            path,
            total_chunks: form.totalChunkNum,
            assembly_id: assembly.id,
            state: 'RECEIVING',
            file_id: null,
            blob_id: null,
            size_bytes: 0,
            crc32: 0,
          }),
        );
      } catch (error) {
        await blobs.dropAssemblies([assembly.id]);
        // Another node has begun it: `find` sees its row next time.
        if (session.isShared && isUniqueViolation(error)) throw new BegunElsewhereError();
        throw error;
      }
      noteFile(session, form.fileNo);
      return {
        fileNo: form.fileNo,
        fileName: form.fileName,
        path,
        totalChunks: form.totalChunkNum,
        assembly,
        received: createNumberRanges(),
        counted: new Map(),
        users: 0,
        head: undefined,
        completion: undefined,
      };
    } catch (error) {
      session.startedFiles--;
      throw error;
    }
  }

  /** Forgets a file without a kept chunk: its number may be used again with another name. */
  async function drop(session: UploadSession, file: ReceivingFile): Promise<void> {
    const { id } = file.assembly;
    // Other nodes may have received chunks of it.
    if (session.isShared && (await blobs.dropAssemblies([id], { onlyEmpty: true })).length === 0) return;
    await db.write((tx) => deleteUploadFile(tx, session.upload.id, id));
    session.startedFiles--;
    session.knownFiles?.delete(file.fileNo);
    await blobs.dropAssemblies([id]);
  }

  async function checkDataset(session: UploadSession, path?: string): Promise<void> {
    const { dataset_id: id, on_conflict: onConflict } = session.upload;
    const status = await findDatasetStatus(db.read, id);
    if (status === undefined) throw dataErrors.DATASET_NOT_FOUND({ id });
    if (status === 'ARCHIVED') throw dataErrors.DATASET_ARCHIVED({ id });
    if (path === undefined || onConflict !== 'ERROR') return;
    const [taken] = await listTakenPaths(db.read, id, [path]);
    if (taken !== undefined) throw dataErrors.FILE_ALREADY_EXISTS({ path: taken, detail: '' });
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
