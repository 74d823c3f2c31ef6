import { crc32 as crc32Of } from 'node:zlib';
import { AppError } from '../../../kernel/errors.ts';
import type { BlobStore, ChunkWriter } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { UploadFilesTable } from '../../../storage/database/tables/uploads.ts';
import type { ChunkForm } from './chunk-form.ts';
import { otherBytes, type ChunkState, type ChunkSink } from './chunk-sink.ts';
import { toFile } from '../files/file-record.ts';
import { findCurrentFile } from '../queries/uploads.ts';

/** Chunks of complete files, which are only compared with the stored bytes. */
export type RepeatedChunks = {
  open(form: ChunkForm, row: UploadFilesTable, expectedBytes: number | undefined): Promise<ChunkSink>;
  /** The state reported for a chunk of a complete file. */
  stateOf(row: UploadFilesTable): Promise<ChunkState>;
};

export function createRepeatedChunks({ db, blobs }: { db: Database; blobs: BlobStore }): RepeatedChunks {
  async function open(form: ChunkForm, row: UploadFilesTable, expectedBytes: number | undefined): Promise<ChunkSink> {
    const writer = await openComparison(form, row, expectedBytes);
    return {
      write: (bytes) => writer.write(bytes),
      abort: () => writer.abort(),
      async finish(_sizeBytes, check) {
        try {
          check(writer.crc32);
        } catch (error) {
          await writer.abort();
          throw error;
        }
        if ((await writer.finish()) === 'conflict') throw otherBytes(form);
        return stateOf(row);
      },
    };
  }

  async function openComparison(
    form: ChunkForm,
    row: UploadFilesTable,
    expectedBytes: number | undefined,
  ): Promise<ChunkWriter> {
    const assembly = row.assembly_id === null ? undefined : await blobs.findAssembly(row.assembly_id);
    if (assembly !== undefined) return assembly.openChunk(form.chunkNo, expectedBytes);
    try {
      return await blobs.compareWith(row.blob_id ?? '', 0, row.size_bytes);
    } catch (error) {
      // The file has been purged: only size and CRC-32 are left to compare with.
      if (error instanceof AppError && error.code === 'BLOB_MISSING') return compareFacts(row);
      throw error;
    }
  }

  async function stateOf(row: UploadFilesTable): Promise<ChunkState> {
    const current = row.file_id === null ? undefined : await findCurrentFile(db.read, row.file_id);
    const blobId = current?.blob_id ?? null;
    const facts = blobId === null ? undefined : await blobs.find(blobId);
    const file = current && toFile(current, facts?.sha256 ?? null);
    return { receivedChunks: row.total_chunks, completed: true, file };
  }

  return { open, stateOf };
}

function compareFacts(row: UploadFilesTable): ChunkWriter {
  let crc32 = 0;
  let sizeBytes = 0;
  return {
    get crc32() {
      return crc32;
    },
    get sizeBytes() {
      return sizeBytes;
    },
    write(bytes) {
      crc32 = crc32Of(bytes, crc32);
      sizeBytes += bytes.length;
      return undefined;
    },
    async finish() {
      if (row.total_chunks > 1) return 'repeated';
      return sizeBytes === row.size_bytes && crc32 === row.crc32 ? 'repeated' : 'conflict';
    },
    async abort() {},
  };
}
