import { isAnnouncedArchive, sniffArchive } from '../archives/archive-format.ts';
import { toFile } from '../files/file-record.ts';
import type { File } from '../schemas/files.ts';
import type { CompletedFile, ReadyFile, UploadCommitter } from './upload-committer.ts';
import type { ReceivingFile, UploadSession } from './upload-sessions.ts';

/** Makes files whose chunks are all there part of their dataset. */
export type FileCompletion = { complete(session: UploadSession, file: ReceivingFile): Promise<File> };

export function createFileCompletion({ committer }: { committer: UploadCommitter }): FileCompletion {
  /** Calls that bring the last chunks at the same time share one completion; one that fails may be tried again. */
  async function complete(session: UploadSession, file: ReceivingFile): Promise<File> {
    file.completion ??= completeOnce(session, file).catch((error: unknown) => {
      file.completion = undefined;
      throw error;
    });
    const { file: row, staged } = await file.completion;
    return toFile(row, staged.sha256);
  }

  async function completeOnce(session: UploadSession, file: ReceivingFile): Promise<CompletedFile> {
    const staged = await file.assembly.seal();
    const completed = await committer.commit({
      session,
      fileNo: file.fileNo,
      fileName: file.fileName,
      path: file.path,
      totalChunks: file.totalChunks,
      assemblyId: file.assembly.id,
      staged,
      // Chunk 1 may have come before a restart: then the unpacker looks into the file itself.
      archive: toUnpack(session, file.fileName, file.head ?? Buffer.alloc(0), staged.sizeBytes),
    });
    session.receiving.delete(file.fileNo);
    return completed;
  }

  return { complete };
}

/** Whether a complete file is to be unpacked, as far as its first bytes tell. */
export function toUnpack(
  { upload }: UploadSession,
  fileName: string,
  head: Buffer,
  sizeBytes: number,
): ReadyFile['archive'] {
  if (upload.has_archive === 0) return undefined;
  const announced = isAnnouncedArchive(fileName, upload.total_file_num);
  const sniffed = sniffArchive(head, sizeBytes);
  return announced || (sniffed !== 'none' && sniffed !== 'document') ? { announced } : undefined;
}
