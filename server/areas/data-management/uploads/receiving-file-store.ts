import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { isUniqueViolation } from '../../../storage/database/sql.ts';
import type { UploadFilesTable } from '../../../storage/database/tables/uploads.ts';
import type { ChunkForm } from './chunk-form.ts';
import { dataErrors } from '../errors.ts';
import { createNumberRanges } from './number-ranges.ts';
import { findDatasetStatus, findUpload, listTakenPaths } from '../queries/uploads.ts';
import { noteFile, type ReceivingFile, type UploadSession } from './upload-session.ts';
import { deleteUploadFile, insertUploadFile } from '../queries/upload-files.ts';

/** The chunks of a file that has a row are gone from the storage. */
export class GoneChunksError extends Error {}

/** Another node was faster. */
export class BegunElsewhereError extends Error {}

/** The rows and assemblies of unfinished files. */
export type ReceivingFileStore = {
  /** Reads an unfinished file; throws UPLOAD_NOT_FOUND, GoneChunksError. */
  restore(session: UploadSession, row: UploadFilesTable): Promise<ReceivingFile>;
  /** Stores a new file; throws BegunElsewhereError, and what `checkDataset` throws. */
  create(session: UploadSession, form: ChunkForm, path: string): Promise<ReceivingFile>;
  /** Forgets a file without a kept chunk: its number may be used again with another name. */
  drop(session: UploadSession, file: ReceivingFile): Promise<void>;
  /** Throws DATASET_NOT_FOUND, DATASET_ARCHIVED, and under ERROR FILE_ALREADY_EXISTS. */
  checkDataset(session: UploadSession, path?: string): Promise<void>;
};

export function createReceivingFileStore({ db, blobs }: { db: Database; blobs: BlobStore }): ReceivingFileStore {
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

  return { restore, create, drop, checkDataset };
}
