import { isContainerName } from '../archives/zip-documents.ts';
import { isAnnouncedArchive, sniffArchive } from '../archives/archive-format.ts';
import { toFile } from '../files/file-record.ts';
import type { File } from '../schemas/files.ts';
import type { RepeatedChunks } from './repeated-chunks.ts';
import { TakenNumberError, type CompletedFile, type ReadyFile } from './ready-file.ts';
import type { UploadCommitter } from './upload-committer.ts';
import type { ReceivingFile, UploadSession } from './upload-session.ts';

/** Adds files with all chunks received to their dataset. */
export type FileCompletion = {
  /** Undefined if another node completed the file and it has been deleted since. */
  complete(session: UploadSession, file: ReceivingFile): Promise<File | undefined>;
};

export function createFileCompletion({
  committer,
  repeats,
}: {
  committer: UploadCommitter;
  repeats: Pick<RepeatedChunks, 'stateOf'>;
}): FileCompletion {
  /** Concurrent calls with the last chunks share one completion; a failed one may be retried. */
  async function complete(session: UploadSession, file: ReceivingFile): Promise<File | undefined> {
    file.completion ??= completeOnce(session, file).catch((error: unknown) => {
      file.completion = undefined;
      throw error;
    });
    try {
      const { file: row, staged } = await file.completion;
      return toFile(row, staged.sha256);
    } catch (error) {
      // Its last chunks arrived on two nodes at once.
      if (!(error instanceof TakenNumberError) || error.row.assembly_id !== file.assembly.id) throw error;
      session.receiving.delete(file.fileNo);
      return (await repeats.stateOf(error.row)).file;
    }
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
      // Chunk 1 may have arrived before a restart: then the unpacker reads the file's first bytes itself.
      archive: toUnpack(session, file.fileName, file.head ?? Buffer.alloc(0), staged.sizeBytes),
    });
    session.receiving.delete(file.fileNo);
    return completed;
  }

  return { complete };
}

/** Whether a complete file is to be unpacked, judging by its name and first bytes. */
export function toUnpack(
  { upload }: UploadSession,
  fileName: string,
  head: Buffer,
  sizeBytes: number,
): ReadyFile['archive'] {
  if (upload.has_archive === 0) return undefined;
  if (isContainerName(fileName)) return undefined;
  const announced = isAnnouncedArchive(fileName, upload.total_file_num);
  const sniffed = sniffArchive(head, sizeBytes);
  return announced || (sniffed !== 'none' && sniffed !== 'document') ? { announced } : undefined;
}
