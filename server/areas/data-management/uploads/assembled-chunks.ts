import type { ChunkOutcome, ChunkWriter } from '../../../storage/blobs/blob-store.ts';
import type { ChunkForm } from './chunk-form.ts';
import { checkAlive, checkRoom, extendHead, otherBytes, type ChunkSink } from './chunk-sink.ts';
import type { FileCompletion } from './file-completion.ts';
import type { ReceivingFiles } from './receiving-files.ts';
import type { ReceivingFile, UploadSession } from './upload-session.ts';

/** Chunks of files that consist of several. */
export type AssembledChunks = {
  /** `file` is already entered; the sink leaves it. */
  open(
    session: UploadSession,
    form: ChunkForm,
    file: ReceivingFile,
    expectedBytes: number | undefined,
  ): Promise<ChunkSink>;
};

export function createAssembledChunks({
  files,
  completion,
}: {
  files: ReceivingFiles;
  completion: FileCompletion;
}): AssembledChunks {
  async function open(
    session: UploadSession,
    form: ChunkForm,
    file: ReceivingFile,
    expectedBytes: number | undefined,
  ): Promise<ChunkSink> {
    const { chunkNo } = form;
    let writer: ChunkWriter;
    try {
      writer = await file.assembly.openChunk(chunkNo, expectedBytes);
    } catch (error) {
      await files.leave(session, file);
      throw error;
    }
    let head: Buffer | undefined;
    return {
      write(bytes) {
        if (chunkNo === 1 && session.upload.has_archive === 1) head = extendHead(head, bytes);
        return writer.write(bytes);
      },
      async abort() {
        await writer.abort();
        await files.leave(session, file);
      },
      async finish(sizeBytes, check) {
        try {
          const outcome = await keep(session, file, chunkNo, sizeBytes, writer, check);
          if (outcome === 'conflict') throw otherBytes(form);
          if (head !== undefined) file.head ??= head;
          const { receivedChunks } = file.assembly;
          if (receivedChunks < file.totalChunks) return { receivedChunks, completed: false, file: undefined };
          return { receivedChunks, completed: true, file: await completion.complete(session, file) };
        } finally {
          await files.leave(session, file);
        }
      },
    };
  }

  async function keep(
    session: UploadSession,
    file: ReceivingFile,
    chunkNo: number,
    sizeBytes: number,
    writer: ChunkWriter,
    check: (crc32: number) => void,
  ): Promise<ChunkOutcome> {
    // Only one of several concurrent calls with the same chunk counts its bytes.
    const counts = !file.received.has(chunkNo) && !file.counted.has(chunkNo);
    try {
      check(writer.crc32);
      checkAlive(session);
      if (counts) checkRoom(session, sizeBytes);
    } catch (error) {
      await writer.abort();
      throw error;
    }
    if (counts) {
      session.receivedBytes += sizeBytes;
      file.counted.set(chunkNo, sizeBytes);
    }
    let outcome: ChunkOutcome | undefined;
    try {
      outcome = await writer.finish();
      return outcome;
    } catch (error) {
      // If the upload was abandoned meanwhile, its chunks are gone: report that instead.
      checkAlive(session);
      throw error;
    } finally {
      settleCount(session, file, chunkNo, { counts, keptBytes: outcome === 'received' ? sizeBytes : undefined });
    }
  }

  /** The call that kept the chunk takes over its counted bytes; a failed call subtracts its own. */
  function settleCount(
    session: UploadSession,
    file: ReceivingFile,
    chunkNo: number,
    { counts, keptBytes }: { counts: boolean; keptBytes: number | undefined },
  ): void {
    const countedBytes = file.counted.get(chunkNo) ?? 0;
    if (keptBytes !== undefined) {
      file.received.add(chunkNo);
      file.counted.delete(chunkNo);
      session.receivedBytes += keptBytes - countedBytes;
    } else if (counts) {
      file.counted.delete(chunkNo);
      session.receivedBytes -= countedBytes;
    }
  }

  return { open };
}
