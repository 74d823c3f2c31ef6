import type { ReadOnlyDatabase } from '../../database/read-only-database.ts';
import { besideName } from '../beside-names.ts';
import { blobPaths, type BlobPaths } from '../files/blob-folders.ts';
import { fileOperations } from '../files/file-operations.ts';
import { listReceivedChunks, type ReceivedChunk } from '../queries/verification.ts';
import { isElsewhere, type Elsewhere } from './other-folders.ts';
import type { StoredObjects } from './stored-objects.ts';
import { createRangeCheck, type RangeProblem, type StoredRange } from './range-check.ts';

/** A received chunk of an unfinished upload with missing or wrong bytes, and their expected location. */
export type ChunkProblem = {
  assemblyId: string;
  chunkNo: number;
  problem: RangeProblem;
  place: StoredRange;
  /** The data folder that received the chunk, if recorded. */
  folderNo: number | null;
};

const rowsPerPage = 1000;

/** Reads every received chunk of unsealed assemblies, as `verifyBlobs` does for blobs. */
export async function* verifyChunks(options: {
  directory: string;
  db: ReadOnlyDatabase;
  objects?: StoredObjects | undefined;
  /** Only these assemblies. */
  assemblyIds?: readonly string[];
  onProgress?: (sizeBytes: number) => void;
  /** Skips the chunks of other data folders and reports them. */
  elsewhere?: Elsewhere | undefined;
}): AsyncGenerator<ChunkProblem, void, void> {
  const { directory, db, objects, assemblyIds, onProgress, elsewhere } = options;
  const paths = blobPaths(directory);
  const ranges = createRangeCheck(objects?.operations ?? fileOperations);
  try {
    for (let after = { assembly_id: '', chunk_no: 0 }; ;) {
      const chunks = await listReceivedChunks(db.scan, after, { assemblyIds, limit: rowsPerPage });
      const last = chunks.at(-1);
      if (last === undefined) return;
      for (const chunk of chunks) {
        if (elsewhere !== undefined && isElsewhere(chunk, elsewhere)) {
          elsewhere.skip(chunk.folder_no, { sizeBytes: chunk.size_bytes });
          continue;
        }
        const place = placeOf(paths, chunk);
        const problem =
          objects !== undefined && chunk.beside === 0
            ? await objects.checkParts(chunk)
            : await ranges.check(place, chunk.crc32);
        if (problem !== undefined && (await isUnchanged(db, chunk)))
          yield { assemblyId: chunk.assembly_id, chunkNo: chunk.chunk_no, problem, place, folderNo: chunk.folder_no };
        onProgress?.(chunk.size_bytes);
      }
      after = last;
    }
  } finally {
    await ranges.close();
  }
}

/** A running service may have put the chunk in place, sealed the whole or dropped it since the row was read. */
async function isUnchanged(db: ReadOnlyDatabase, chunk: ReceivedChunk): Promise<boolean> {
  const after = { assembly_id: chunk.assembly_id, chunk_no: chunk.chunk_no - 1 };
  const [now] = await listReceivedChunks(db.read, after, { assemblyIds: [chunk.assembly_id], limit: 1 });
  return now?.chunk_no === chunk.chunk_no && now.beside === chunk.beside && now.crc32 === chunk.crc32;
}

function placeOf(paths: BlobPaths, chunk: ReceivedChunk): StoredRange {
  const { assembly_id: id, chunk_no: chunkNo, beside, size_bytes: sizeBytes } = chunk;
  return beside > 0
    ? { path: paths.besidePath(besideName(id, chunkNo, beside)), offset: 0, sizeBytes }
    : { path: paths.filePath(id), offset: (chunkNo - 1) * (chunk.chunk_size_bytes ?? 0), sizeBytes };
}
