import type { StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { UploadFilesTable, UploadsTable } from '../../../storage/database/tables/uploads.ts';
import type { Waiting } from '../../../kernel/group-commit.ts';
import type { FileRow } from '../files/file-commits.ts';

/** A file of an upload with all its bytes received. */
export type ReadyFile = {
  /** Its counts are increased once the file is complete. */
  session: {
    readonly upload: UploadsTable;
    readonly isShared: boolean;
    startedFiles: number;
    completedFiles: number;
    receivedBytes: number;
  };
  fileNo: number;
  fileName: string;
  path: string;
  totalChunks: number;
  /** Null for a file of a single chunk. */
  assemblyId: string | null;
  staged: StagedBlob;
  /** Set when the file is to be unpacked; it is listed as PROCESSING until then. */
  archive: { announced: boolean } | undefined;
};

/** Another node has taken the number, with the same file or another one. */
export class TakenNumberError extends Error {
  override readonly name = 'TakenNumberError';
  readonly row: UploadFilesTable;

  constructor(row: UploadFilesTable) {
    super(`File ${row.file_no} of the upload is there already`);
    this.row = row;
  }
}

export type CompletedFile = { file: FileRow; staged: StagedBlob };

/** A file that waits for its commit. */
export type WaitingFile = Waiting<ReadyFile, CompletedFile>;
