import { fileNameOf } from '../../../kernel/file-path.ts';
import { codedReason, storedReason } from '../../../kernel/sentences/index.ts';
import type { FilesTable } from '../../../storage/database/tables/datasets.ts';
import type { File } from '../schemas/files.ts';
import type { FileOrigin } from './file-additions.ts';

/** The API form of a file row and its content's checksum. */
export function toFile(row: FilesTable, sha256: string | null): File {
  return {
    id: row.file_id,
    fileName: fileNameOf(row.path),
    originalName: row.original_name,
    fileType: row.file_type,
    fileSize: row.size_bytes,
    status: row.status as File['status'],
    filePath: row.path,
    uploadTime: row.uploaded_at,
    uploadedBy: row.uploaded_by,
    sha256,
    contentType: row.content_type,
    ...codedReason('error', storedReason('error', row)),
    updatedAt: row.updated_at,
    origin: row.origin === null ? null : (JSON.parse(row.origin) as FileOrigin),
  };
}
