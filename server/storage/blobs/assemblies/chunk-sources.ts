import type { AssemblyParts } from './assembly-parts.ts';
import { besideName } from '../beside-names.ts';
import { compareWithChecksum, compareWithSource, type ByteComparison, type StoredBytes } from './byte-comparison.ts';
import { isMissingFile, readAvailable } from '../files/file-operations.ts';
import { offsetOf, placeOf, type LiveAssembly, type StoredChunk } from './live-assembly.ts';
import { findAssemblyRow } from '../queries/assemblies.ts';
import { findBlob } from '../queries/blobs.ts';

/** Opens the bytes of a received chunk, wherever they currently are; undefined when they have been erased. */
export async function openChunkSource(
  parts: AssemblyParts,
  live: LiveAssembly,
  chunkNo: number,
): Promise<StoredBytes | undefined> {
  for (;;) {
    const chunk = live.chunks.get(chunkNo);
    if (chunk === undefined) throw new Error(`Chunk ${chunkNo} was not received`);
    if (live.sealed !== undefined) return openSealedRun(parts, live, offsetOf(live, chunkNo), chunk.sizeBytes);
    const { besideNo } = chunk;
    const { path, offset } = chunkPlace(parts, live, chunkNo, chunk);
    try {
      return await openRange(parts, path, offset, chunk.sizeBytes);
    } catch (error) {
      // Meanwhile, the chunk may have been put in place or the assembly sealed.
      const moved = live.sealed !== undefined || live.chunks.get(chunkNo)?.besideNo !== besideNo;
      if (isMissingFile(error) && chunk.sizeBytes === 0) return emptySource;
      if (!isMissingFile(error) || !moved) throw error;
    }
  }
}

/** Where a received chunk of an unsealed assembly is stored. */
export function chunkPlace(
  parts: Pick<AssemblyParts, 'folders'>,
  live: LiveAssembly,
  chunkNo: number,
  chunk: StoredChunk,
): { path: string; offset: number } {
  const { folders } = parts;
  return chunk.besideNo === 0
    ? { path: folders.filePath(live.id), offset: placeOf(live, chunkNo) ?? 0 }
    : { path: folders.besidePath(besideName(live.id, chunkNo, chunk.besideNo)), offset: 0 };
}

export async function compareWithStoredChunk(
  parts: AssemblyParts,
  live: LiveAssembly,
  chunkNo: number,
): Promise<ByteComparison> {
  const source = await openChunkSource(parts, live, chunkNo);
  if (source !== undefined) return compareWithSource(source);
  const chunk = live.chunks.get(chunkNo);
  return compareWithChecksum(chunk ?? { sizeBytes: 0, crc32: 0 });
}

const emptySource: StoredBytes = { sizeBytes: 0, read: async () => 0, close: async () => {} };

async function openRange(parts: AssemblyParts, path: string, offset: number, sizeBytes: number): Promise<StoredBytes> {
  const { openFiles, operations } = parts;
  const file = await openFiles.acquire(path);
  return {
    sizeBytes,
    read(target, position) {
      const wanted = target.subarray(0, Math.max(0, Math.min(target.length, sizeBytes - position)));
      return readAvailable(operations, file.fd, wanted, offset + position);
    },
    close: () => file.release(),
  };
}

/** The blob may have been adopted, moved, or erased since it was sealed. */
async function openSealedRun(
  parts: AssemblyParts,
  live: LiveAssembly,
  offset: number,
  sizeBytes: number,
): Promise<StoredBytes | undefined> {
  const { db, reads, openFiles, operations, folders } = parts;
  if (sizeBytes === 0) return emptySource;
  const row = await findBlob(db.read, live.id);
  if (row !== undefined) {
    const { row: placed, file } = await reads.openPlace(row);
    if (file === undefined) return emptySource;
    return {
      sizeBytes,
      read: (target, position) => readAvailable(operations, file.fd, target, placed.object_offset + offset + position),
      close: () => file.release(),
    };
  }
  const sealed = await findAssemblyRow(db.read, live.id);
  const objectId = sealed?.sealed_object_id ?? '';
  const start = sealed?.sealed_object_offset ?? 0;
  if (objectId === '') return undefined;
  const path = sealed?.sealed_kind === 'pack' ? folders.packPath(objectId) : folders.filePath(objectId);
  try {
    const file = await openFiles.acquire(path);
    return {
      sizeBytes,
      read: (target, position) => readAvailable(operations, file.fd, target, start + offset + position),
      close: () => file.release(),
    };
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
