import type { BlobStore, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { UploadFilesTable } from '../../../storage/database/tables/uploads.ts';
import type { ChunkForm } from './chunk-form.ts';
import {
  checkAlive,
  checkRoom,
  extendHead,
  otherBytes,
  otherDivision,
  type ChunkState,
  type ChunkSink,
} from './chunk-sink.ts';
import { toUnpack } from './file-completion.ts';
import { toFile } from '../files/file-record.ts';
import { checkFileRoom } from './receiving-files.ts';
import type { RepeatedChunks } from './repeated-chunks.ts';
import { TakenNumberError } from './ready-file.ts';
import type { UploadCommitter } from './upload-committer.ts';
import { noteFile, type UploadSession } from './upload-session.ts';
import { findUploadFile } from '../queries/upload-files.ts';

/** Files of a single chunk: its bytes are the file, and no assembly is needed. */
export type SingleChunkFiles = {
  open(session: UploadSession, form: ChunkForm, path: string): ChunkSink;
  /**
   * Stores a complete, verified file of an upload without archives; copies the bytes at once. Undefined, without any effect, if
   * that would need waiting or a lookup: the number may be in use, there is no room, or the disk is behind.
   */
  storeWhole(whole: {
    session: UploadSession;
    form: ChunkForm;
    path: string;
    bytes: Uint8Array;
    crc32: number;
  }): Promise<ChunkState> | undefined;
};

const noBytes = Buffer.alloc(0);

type Whole = { session: UploadSession; form: ChunkForm; path: string; staged: StagedBlob; head: Buffer };

export function createSingleChunkFiles({
  db,
  blobs,
  repeats,
  committer,
}: {
  db: Database;
  blobs: BlobStore;
  repeats: RepeatedChunks;
  committer: UploadCommitter;
}): SingleChunkFiles {
  /** Concurrent calls with the same file all receive bytes: the first to have all stores the file, the others then compare. */
  async function claim(session: UploadSession, fileNo: number): Promise<() => void> {
    const { changing } = session;
    for (let change = changing.get(fileNo); change !== undefined; change = changing.get(fileNo)) await change;
    return claimFree(session, fileNo);
  }

  function claimFree({ changing }: UploadSession, fileNo: number): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    changing.set(fileNo, promise);
    return () => {
      changing.delete(fileNo);
      resolve();
    };
  }

  async function storeFirst(whole: Whole, leave: () => void): Promise<ChunkState> {
    try {
      return await storeNew(whole);
    } catch (error) {
      await blobs.settle([whole.staged]);
      throw error;
    } finally {
      leave();
    }
  }

  async function store(whole: Whole): Promise<ChunkState> {
    const { session, form } = whole;
    const { fileNo } = form;
    const leave = await claim(session, fileNo);
    try {
      checkAlive(session);
      const receiving = await session.receiving.get(fileNo);
      if (receiving !== undefined) throw otherDivision(form, receiving.fileName, receiving.totalChunks);
      if (session.knownFiles === undefined || session.knownFiles.has(fileNo)) {
        const row = await findUploadFile(db.read, session.upload.id, fileNo);
        if (row !== undefined) return await compare(whole, row);
      }
      return await storeNew(whole);
    } finally {
      leave();
    }
  }

  /** The number is in use: by the same file, which was sent before, or by another one. */
  async function compare({ form, staged }: Whole, row: UploadFilesTable): Promise<ChunkState> {
    if (row.file_name !== form.fileName || row.total_chunks !== 1)
      throw otherDivision(form, row.file_name, row.total_chunks);
    if (row.size_bytes !== staged.sizeBytes || row.crc32 !== staged.crc32) throw otherBytes(form);
    await blobs.settle([staged]);
    return repeats.stateOf(row);
  }

  async function storeNew(whole: Whole): Promise<ChunkState> {
    try {
      return await commitNew(whole);
    } catch (error) {
      if (!(error instanceof TakenNumberError)) throw error;
      noteFile(whole.session, whole.form.fileNo);
      return compare(whole, error.row);
    }
  }

  async function commitNew({ session, form, path, staged, head }: Whole): Promise<ChunkState> {
    checkFileRoom(session);
    checkRoom(session, staged.sizeBytes);
    session.startedFiles++;
    session.receivedBytes += staged.sizeBytes;
    try {
      const { file } = await committer.commit({
        session,
        fileNo: form.fileNo,
        fileName: form.fileName,
        path,
        totalChunks: 1,
        assemblyId: null,
        staged,
        archive: toUnpack(session, form.fileName, head, staged.sizeBytes),
      });
      noteFile(session, form.fileNo);
      return { receivedChunks: 1, completed: true, file: toFile(file, staged.sha256) };
    } catch (error) {
      session.startedFiles--;
      session.receivedBytes -= staged.sizeBytes;
      throw error;
    }
  }

  return {
    storeWhole({ session, form, path, bytes, crc32 }) {
      const { fileNo } = form;
      const mayBeKnown =
        session.knownFiles?.has(fileNo) !== false || session.changing.has(fileNo) || session.receiving.has(fileNo);
      const { total_file_num, total_size_bytes } = session.upload;
      const hasRoom = session.startedFiles < total_file_num && session.receivedBytes + bytes.length <= total_size_bytes;
      if (mayBeKnown || !hasRoom) return undefined;
      const staged = blobs.writeWhole(bytes, crc32);
      if (staged === undefined) return undefined;
      return storeFirst({ session, form, path, staged, head: noBytes }, claimFree(session, fileNo));
    },

    open(session, form, path) {
      const writer = blobs.create();
      let head: Buffer | undefined;
      return {
        write(bytes) {
          if (session.upload.has_archive === 1) head = extendHead(head, bytes);
          return writer.write(bytes);
        },
        abort: () => writer.abort(),
        async finish(_sizeBytes, check) {
          const staged = await writer.finish();
          try {
            check(staged.crc32);
            return await store({ session, form, path, staged, head: head ?? noBytes });
          } catch (error) {
            // If the committer took the bytes and gave up, they are already erased; erasing them again has no effect.
            await blobs.settle([staged]);
            throw error;
          }
        },
      };
    },
  };
}
