import { newId } from '../../../kernel/ids.ts';
import type { FileRow, NewFile } from '../files/file-commits.ts';
import type { ReadyFile } from './ready-file.ts';

/** A file that is complete, and its row in the dataset. */
export type AddedFile = { ready: ReadyFile; file: FileRow };

export function toNewFile({ path, fileName, staged, archive }: ReadyFile): NewFile {
  return {
    path,
    originalName: fileName,
    sizeBytes: staged.sizeBytes,
    status: archive !== undefined ? 'PROCESSING' : 'COMPLETED',
    blobId: staged.id,
  };
}

export function toUploadFile({ ready, file }: AddedFile) {
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

export function toArchive({ ready, file }: AddedFile, createdAt: string) {
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
    name_languages: ready.session.upload.name_languages,
    announced: ready.archive?.announced === true ? 1 : 0,
    state: 'PENDING' as const,
    file_count: 0,
    total_size_bytes: 0,
    refused_count: 0,
    refusals: '[]',
    effects: '{}',
    error: null,
    error_sentence: null,
    unpackings: 0,
    node_id: null,
    created_at: createdAt,
    ended_at: null,
  };
}
