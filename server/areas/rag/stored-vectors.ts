import { createHash } from 'node:crypto';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import { wordsOf } from './chunk-words.ts';
import { listChunks, listVectors, type UnitKey } from './queries/chunks.ts';
import { readVectors } from './vectors.ts';

/** Vectors that were paid for, by the text that was embedded. */
export type StoredVectors = {
  /** The vectors of texts; undefined for those that are not stored. */
  find(texts: readonly string[]): Promise<(Float32Array | undefined)[]>;
};

const rowsAtOnce = 1_000;
/** Chunks of two chunkings come in the same order, so only a few blobs are needed at a time. */
const keptBlobs = 4;

/** Opens the vectors of a unit, for reuse by another chunking of the same text. */
export async function openStoredVectors(
  { db, blobs }: { db: Pick<Database, 'read'>; blobs: Pick<BlobStore, 'open'> },
  key: UnitKey,
): Promise<StoredVectors> {
  const stored = await listVectors(db.read, key);
  const places = new Map<string, number>();
  const last = stored.at(-1);
  const chunks = last === undefined ? 0 : last.first_chunk + last.chunks;
  for (let from = 0; from < chunks; from += rowsAtOnce) {
    const rows = await listChunks(db.read, key, { from, limit: Math.min(rowsAtOnce, chunks - from) });
    for (const row of rows)
      places.set(hashOf(wordsOf({ text: row.text, headings: JSON.parse(row.headings) as string[] })), row.chunk_no);
  }
  const kept = new Map<string, Float32Array[]>();

  async function read(chunkNo: number): Promise<Float32Array | undefined> {
    const row = stored.find(({ first_chunk: first, chunks: count }) => chunkNo >= first && chunkNo < first + count);
    if (row === undefined) return undefined;
    let vectors = kept.get(row.blob_id);
    if (vectors === undefined) {
      vectors = await readVectors(blobs, row.blob_id, row.chunks);
      kept.set(row.blob_id, vectors);
      const [oldest] = kept.keys();
      if (kept.size > keptBlobs && oldest !== undefined) kept.delete(oldest);
    }
    return vectors[chunkNo - row.first_chunk];
  }

  return {
    async find(texts) {
      const found: (Float32Array | undefined)[] = [];
      for (const text of texts) {
        const place = places.get(hashOf(text));
        found.push(place === undefined ? undefined : await read(place));
      }
      return found;
    },
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
