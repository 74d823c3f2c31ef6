import type { Models } from '../../models/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { RagChunksTable } from '../../storage/database/tables/rag.ts';
import type { IndexedChunk, IndexedUnit, VectorIndex } from '../../storage/vectors/index.ts';
import { indexedOf, wordsOfRow } from './chunk-words.ts';
import { listChunks, listVectors } from './queries/chunks.ts';
import type { RagIndex } from './queries/indexes.ts';
import { readVectorsOf } from './vectors.ts';

/** A searchable unit, with its number of chunks. */
export type WantedUnit = { unit: number; chunks: number };

/** Copies units into an index of this process from stored rows and paid vectors. */
export type UnitCopying = {
  /** Adds units, replacing what the index has of them. */
  copy(wanted: RagIndex, index: VectorIndex, units: readonly WantedUnit[], options?: CopyOptions): Promise<void>;
};

export type CopyOptions = {
  signal?: AbortSignal | undefined;
  /** Called with the number of chunks added. */
  onAdded?(chunks: number): void;
};

const chunksAtOnce = 256;
/** Chunks per write; small documents share one. */
const rowsAtOnce = 1_000;

export function createUnitCopying({
  db,
  blobs,
  models,
}: {
  db: Database;
  blobs: Pick<BlobStore, 'open'>;
  models: Pick<Models, 'embed'>;
}): UnitCopying {
  async function* readUnit(
    wanted: RagIndex,
    { unit, chunks }: WantedUnit,
    { dimensions }: VectorIndex,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<IndexedChunk[]> {
    const key = { knowledgeBaseId: wanted.knowledgeBaseId, unit };
    const stored = await listVectors(db.read, key);
    for (let from = 0; from < chunks; from += chunksAtOnce) {
      signal?.throwIfAborted();
      const rows = await listChunks(db.read, key, { from, limit: chunksAtOnce });
      // The unit was deleted meanwhile.
      if (rows.length === 0) return;
      const found = await readVectorsOf(blobs, stored, { from, count: rows.length });
      const missing = rows.filter((_, at) => found[at] === undefined);
      const made = missing.length === 0 ? [] : await embed(wanted, missing, signal);
      for (const [at, row] of missing.entries()) found[row.chunk_no - from] = made[at];
      yield rows.map((row, at) => indexedOf(row, found[at] ?? new Float32Array(dimensions)));
    }
  }

  async function embed(
    { embeddingModel }: RagIndex,
    rows: readonly RagChunksTable[],
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]> {
    const { vectors } = await models.embed(embeddingModel, rows.map(wordsOfRow), { signal });
    return vectors;
  }

  return {
    async copy(wanted, index, units, { signal, onAdded } = {}) {
      await index.remove(units.map(({ unit }) => unit));
      let rows: IndexedChunk[] = [];
      for (const unit of units)
        for await (const some of readUnit(wanted, unit, index, signal)) {
          rows.push(...some);
          if (rows.length < rowsAtOnce) continue;
          await index.add(rows);
          onAdded?.(rows.length);
          rows = [];
        }
      await index.add(rows);
      onAdded?.(rows.length);
    },
  };
}

/** The units whose chunks are not in the index exactly once each. */
export function wrongUnits<T extends WantedUnit>(units: readonly T[], indexed: ReadonlyMap<number, IndexedUnit>): T[] {
  return units.filter(({ unit, chunks }) => {
    const has = indexed.get(unit);
    return has?.rows !== chunks || has.chunks !== chunks || has.highest !== chunks - 1;
  });
}

/** Total number of chunks of the units. */
export function sumOfChunks(units: readonly { chunks: number }[]): number {
  return units.reduce((all, { chunks }) => all + chunks, 0);
}
