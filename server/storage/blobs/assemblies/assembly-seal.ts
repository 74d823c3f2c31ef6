import { hash as hashOnce } from 'node:crypto';
import { newId } from '../../../kernel/ids.ts';
import type { AssemblyParts } from './assembly-parts.ts';
import { besideName } from '../beside-names.ts';
import { forEachPiece } from './byte-comparison.ts';
import { openChunkSource } from './chunk-sources.ts';
import { createCrc32Combiner } from '../../../kernel/crc32.ts';
import type { LiveAssembly } from './live-assembly.ts';
import type { SealedAssembly } from '../queries/assemblies.ts';
import { createSequentialWriter } from '../files/sequential-writer.ts';
import { openWritableFile } from '../files/writable-file.ts';

/** Joins all chunks into one durable run of bytes; copies nothing if the chunks have equal sizes and the whole is large. */
export async function sealAssembly(parts: AssemblyParts, live: LiveAssembly): Promise<SealedAssembly> {
  const { journal } = parts;
  const facts = checksumOfAll(live);
  const sealed: SealedAssembly = {
    id: live.id,
    ...facts,
    ...(await makeDurable(parts, live, facts.sealed_size_bytes)),
  };
  await journal.put({ kind: 'sealed', row: sealed });
  return sealed;
}

type SealedPlace = Omit<SealedAssembly, 'id' | 'sealed_size_bytes' | 'sealed_crc32'>;

function checksumOfAll(live: LiveAssembly): { sealed_size_bytes: number; sealed_crc32: number } {
  const combine = createCrc32Combiner();
  let sizeBytes = 0;
  let crc = 0;
  for (let chunkNo = 1; chunkNo <= live.totalChunks; chunkNo++) {
    const chunk = live.chunks.get(chunkNo);
    if (chunk === undefined) throw new Error(`Chunk ${chunkNo} of ${live.totalChunks} is missing`);
    crc = combine(crc, chunk.crc32, chunk.sizeBytes);
    sizeBytes += chunk.sizeBytes;
  }
  return { sealed_size_bytes: sizeBytes, sealed_crc32: crc };
}

/** Whether the file already holds the whole content: chunks of equal size, each in place. */
function isContiguous(live: LiveAssembly): boolean {
  if (live.beside.size > 0) return false;
  for (let chunkNo = 1; chunkNo < live.totalChunks; chunkNo++) {
    if (live.chunks.get(chunkNo)?.sizeBytes !== live.chunkSizeBytes) return false;
  }
  return true;
}

async function makeDurable(parts: AssemblyParts, live: LiveAssembly, sizeBytes: number): Promise<SealedPlace> {
  const { packThresholdBytes } = parts;
  if (sizeBytes === 0) {
    return {
      sealed_sha256: hashOnce('sha256', ''),
      sealed_kind: 'empty',
      sealed_object_id: '',
      sealed_object_offset: 0,
    };
  }
  if (sizeBytes < packThresholdBytes) return packAll(parts, live, sizeBytes);
  if (isContiguous(live)) return keepFile(parts, live, sizeBytes);
  return writeAnew(parts, live);
}

async function keepFile(parts: AssemblyParts, live: LiveAssembly, sizeBytes: number): Promise<SealedPlace> {
  const { files, flushes, folders, lateDigests, staged } = parts;
  const folder = await folders.ensureFolderOf(live.id);
  const { file, release } = await files.acquire(live.id);
  // The hasher may catch up while the file is synced.
  startDigest(parts, live);
  try {
    // A displaced writer may have left bytes beyond the end.
    await file.fit(sizeBytes);
    await flushes.syncFile(file, folder);
  } catch (error) {
    live.suspect = true;
    throw error;
  } finally {
    await release();
  }
  staged.add(live.id, live.id, true);
  return {
    sealed_sha256: lateDigests.takeReady(live.id),
    sealed_kind: 'file',
    sealed_object_id: live.id,
    sealed_object_offset: 0,
  };
}

/** If all chunks arrived in order and were hashed on arrival, their SHA-256 is nearly ready. */
function startDigest({ lateDigests }: AssemblyParts, live: LiveAssembly): void {
  const { hash } = live;
  if (hash === undefined || hash.next !== live.totalChunks + 1) return;
  live.hash = undefined;
  lateDigests.keep(live.id, hash.ordered.digest());
}

async function packAll(parts: AssemblyParts, live: LiveAssembly, sizeBytes: number): Promise<SealedPlace> {
  const { packs, flushes, staged } = parts;
  const bytes = new Uint8Array(sizeBytes);
  let length = 0;
  await readChunks(parts, live, async (piece) => {
    bytes.set(piece, length);
    length += piece.length;
  });
  for (let room = packs.room(); room !== undefined; room = packs.room()) await room;
  const { sealed_crc32: crc } = checksumOfAll(live);
  staged.forget(live.id);
  const place = packs.append({ id: live.id, crc32: crc, bytes });
  await flushes.flush();
  staged.check(live.id);
  return {
    sealed_sha256: hashOnce('sha256', bytes),
    sealed_kind: 'pack',
    sealed_object_id: place.objectId,
    sealed_object_offset: place.offset,
  };
}

/**
 * Chunks of unequal sizes are copied in order to another file. The first file stays as the chunk rows describe it until the seal
 * is committed, so a crash at any moment leaves one of the two complete.
 */
async function writeAnew(parts: AssemblyParts, live: LiveAssembly): Promise<SealedPlace> {
  const { operations, folders, lane, pool, hasher, lateDigests, flushes, staged, holds } = parts;
  const objectId = newId();
  holds.hold(objectId);
  try {
    const folder = await folders.ensureFolderOf(objectId);
    const file = await openWritableFile({ operations, path: folders.filePath(objectId), lane });
    try {
      const hash = hasher.startOrdered();
      const output = createSequentialWriter({ file, position: 0, pool, hash });
      try {
        await readChunks(parts, live, (piece) => output.write(piece));
        await output.end();
      } catch (error) {
        await output.abandon();
        hash.drop();
        await operations.unlink(file.path);
        throw error;
      }
      lateDigests.keep(live.id, hash.digest());
      await flushes.syncFile(file, folder);
      staged.forget(live.id);
      staged.add(live.id, objectId, true);
      return {
        sealed_sha256: lateDigests.takeReady(live.id),
        sealed_kind: 'file',
        sealed_object_id: objectId,
        sealed_object_offset: 0,
      };
    } finally {
      await file.close();
    }
  } finally {
    holds.release(objectId);
  }
}

async function readChunks(
  parts: AssemblyParts,
  live: LiveAssembly,
  take: (bytes: Uint8Array) => Promise<void> | undefined,
): Promise<void> {
  for (let chunkNo = 1; chunkNo <= live.totalChunks; chunkNo++) {
    const source = await openChunkSource(parts, live, chunkNo);
    if (source === undefined) throw new Error(`Chunk ${chunkNo} is gone`);
    try {
      await forEachPiece(source, take);
    } finally {
      await source.close();
    }
  }
}

/** Removes separate chunk files, and the assembly's file if the sealed bytes are elsewhere. */
export async function eraseRemains(parts: AssemblyParts, live: LiveAssembly, sealed: SealedAssembly): Promise<void> {
  const { eraser, files } = parts;
  await files.forget(live.id);
  await eraser.eraseNow({
    files: sealed.sealed_object_id === live.id ? [] : [live.id],
    beside: [...live.beside].map((chunkNo) => besideName(live.id, chunkNo, live.chunks.get(chunkNo)?.besideNo ?? 0)),
  });
}
