import { crc32 } from 'node:zlib';
import type { RagVectorsTable } from '../../storage/database/tables/rag.ts';
import type { BlobStore, StagedBlob } from '../../storage/blobs/blob-store.ts';

/** Stores vectors as consecutive little-endian 32-bit floats; the caller adopts the blob. */
export async function writeVectors(
  blobs: Pick<BlobStore, 'create' | 'flush'>,
  vectors: readonly Float32Array[],
): Promise<StagedBlob> {
  const writer = blobs.create();
  try {
    for (const vector of vectors) await writer.write(new Uint8Array(vector.slice().buffer));
    const staged = await writer.finish();
    await blobs.flush();
    return staged;
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** Reads stored vectors; throws BLOB_MISSING, or an Error if the bytes are damaged. */
export async function readVectors(
  blobs: Pick<BlobStore, 'open'>,
  blobId: string,
  count: number,
): Promise<Float32Array[]> {
  const reader = await blobs.open(blobId);
  try {
    const bytes = new Uint8Array(reader.facts.sizeBytes);
    const read = await reader.read(bytes, 0);
    if (read !== bytes.length || crc32(bytes) !== reader.facts.crc32 || bytes.length % (4 * count) !== 0)
      throw new Error('Stored vectors are damaged');
    const length = bytes.length / 4 / count;
    return Array.from({ length: count }, (_, index) => new Float32Array(bytes.buffer, index * length * 4, length));
  } finally {
    await reader.close();
  }
}

/** Reads the vectors of a range of a unit's chunks; undefined for those that are not stored. */
export async function readVectorsOf(
  blobs: Pick<BlobStore, 'open'>,
  stored: readonly RagVectorsTable[],
  { from, count }: { from: number; count: number },
): Promise<(Float32Array | undefined)[]> {
  const found: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const { first_chunk: first, chunks, blob_id: id } of stored) {
    if (first >= from + count || first + chunks <= from) continue;
    const vectors = await readVectors(blobs, id, chunks);
    for (let at = Math.max(first, from); at < Math.min(first + chunks, from + count); at += 1)
      found[at - from] = vectors[at - first];
  }
  return found;
}
