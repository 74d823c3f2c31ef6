import { performance } from 'node:perf_hooks';
import { invalid } from '../../../kernel/errors.ts';
import { ModelCallError, type Models } from '../../../models/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { RagChunksTable } from '../../../storage/database/tables/rag.ts';
import type { FoundChunk, VectorIndex, VectorStore } from '../../../storage/vectors/index.ts';
import { chunkIdOf, chunkOf } from '../document-views.ts';
import { ragErrors } from '../errors.ts';
import { findChunks, listChunks } from '../queries/chunks.ts';
import { findDocumentsOfUnits, listUnits } from '../queries/documents.ts';
import { findCurrentIndex, findIndex, findNextIndex, type RagIndex } from '../queries/indexes.ts';
import type { RagHit, SearchRequest, SearchResult } from '../schemas.ts';
import { rankHybrid, rankKeyword, rankVector, type RankedChunk } from './fusion.ts';
import { findHighlights } from './highlights.ts';

export type Search = {
  /**
   * Throws KNOWLEDGE_BASE_NOT_FOUND, and MODEL_CALL_FAILED when the query can't be embedded; for the index of a rebuild
   * REBUILD_NOT_FOUND.
   */
  search(
    knowledgeBaseId: string,
    request: SearchRequest,
    signal?: AbortSignal,
    which?: 'CURRENT' | 'NEXT',
  ): Promise<SearchResult>;
};

/** Candidates of each list for hybrid search: ranks beyond them hardly count. */
const hybridCandidates = 100;
/** Chunks of documents that were deleted or replaced a moment ago may still be in the index: so many more are asked for. */
const spare = 20;

export function createSearch({
  db,
  models,
  vectors,
}: {
  db: Database;
  models: Pick<Models, 'embed'>;
  vectors: VectorStore;
}): Search {
  async function embed(base: RagIndex, query: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    try {
      const { vectors: found } = await models.embed(base.embeddingModel, [query], { signal });
      const [vector] = found;
      if (vector !== undefined && vector.length === base.dimensions) return vector;
    } catch (error) {
      if (error instanceof ModelCallError)
        throw ragErrors.QUERY_NOT_EMBEDDED({ model: base.embeddingModel, problem: error.message }, { cause: error });
      throw error;
    }
    throw ragErrors.QUERY_NOT_EMBEDDED({
      model: base.embeddingModel,
      problem: `its vectors no longer have ${base.dimensions} numbers`,
    });
  }

  /** The chunks that a mode finds among units, best first. */
  async function rank(
    index: VectorIndex,
    { query, mode = 'HYBRID', weights = { vector: 1, keyword: 1 } }: SearchRequest,
    { vector, limit, units }: { vector: Float32Array | undefined; limit: number; units: readonly number[] | undefined },
  ): Promise<RankedChunk[]> {
    const nearest = async (most: number): Promise<FoundChunk[]> =>
      vector === undefined ? [] : index.findNearest(vector, { limit: most, units });
    if (mode === 'VECTOR') return rankVector(await nearest(limit));
    if (mode === 'KEYWORD') return rankKeyword(await index.findWords(query, { limit, units }));
    const most = Math.max(limit, hybridCandidates);
    const [byVector, byKeyword] = await Promise.all([nearest(most), index.findWords(query, { limit: most, units })]);
    return rankHybrid(byVector, byKeyword, weights);
  }

  /** What a search finds in one index; undefined if another index took its place meanwhile. */
  async function searchIn(
    base: RagIndex,
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<RagHit[] | undefined> {
    const { query, topK = 10, mode = 'HYBRID', filter, minScore = 0, expand = 0 } = request;
    const { knowledgeBaseId, indexId, dimensions } = base;
    // Nothing was ever indexed.
    if (dimensions === null) return [];
    const units = filter === undefined ? undefined : await listUnits(db.read, base, filter);
    if (units?.length === 0) return [];
    const vector = mode === 'KEYWORD' ? undefined : await embed(base, query, signal);
    const index = await vectors.open(indexId, dimensions);
    const ranked = await rank(index, request, { vector, limit: topK + spare, units });
    const found = ranked.filter(({ score }) => score >= minScore);
    const names = [...new Set(found.map(({ unit }) => unit))];
    const documents = new Map((await findDocumentsOfUnits(db.read, base, names)).map((one) => [one.unit, one]));
    const shown = found.filter(({ unit }) => documents.has(unit)).slice(0, topK);
    const chunks = new Map(
      (await findChunks(db.read, knowledgeBaseId, shown)).map((row) => [
        chunkIdOf({ unit: row.unit, ordinal: row.chunk_no }),
        row,
      ]),
    );
    const hits: RagHit[] = [];
    for (const one of shown) {
      const row = chunks.get(chunkIdOf(one));
      const document = documents.get(one.unit);
      // Deleted since the look at its document.
      if (row === undefined || document === undefined) continue;
      hits.push({
        ...chunkOf(row),
        documentId: document.id,
        documentName: document.name,
        score: one.score,
        scores: { vector: one.vector, keyword: one.keyword },
        ranks: one.ranks,
        highlights: findHighlights(row.text, query),
        ...(expand === 0 ? {} : { neighbours: (await neighboursOf(knowledgeBaseId, row, expand)).map(chunkOf) }),
      });
    }
    const isWhole = documents.size === names.length && hits.length === shown.length;
    return isWhole || (await findIndex(db.read, base)) !== undefined ? hits : undefined;
  }

  /** The same, where an index that is deleted meanwhile may also fail. */
  async function trySearchIn(...[base, ...rest]: Parameters<typeof searchIn>): Promise<RagHit[] | undefined> {
    try {
      return await searchIn(base, ...rest);
    } catch (error) {
      if ((await findIndex(db.read, base)) !== undefined) throw error;
      return undefined;
    }
  }

  return {
    async search(knowledgeBaseId, request, signal, which = 'CURRENT') {
      const began = performance.now();
      const { weights } = request;
      if (weights !== undefined && weights.vector + weights.keyword === 0)
        throw invalid('weights', 'must not both be 0');
      for (;;) {
        signal?.throwIfAborted();
        const current = await findCurrentIndex(db.read, knowledgeBaseId);
        if (current === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: knowledgeBaseId });
        const index = which === 'CURRENT' ? current : await findNextIndex(db.read, knowledgeBaseId);
        if (index === undefined) throw ragErrors.REBUILD_NOT_FOUND({ id: knowledgeBaseId });
        const hits = await trySearchIn(index, request, signal);
        if (hits !== undefined) return { hits, tookMs: Math.round((performance.now() - began) * 100) / 100 };
      }
    },
  };

  async function neighboursOf(knowledgeBaseId: string, row: RagChunksTable, count: number): Promise<RagChunksTable[]> {
    const from = Math.max(0, row.chunk_no - count);
    const range = { from, limit: row.chunk_no + count + 1 - from };
    const rows = await listChunks(db.read, { knowledgeBaseId, unit: row.unit }, range);
    return rows.filter(({ chunk_no: number }) => number !== row.chunk_no);
  }
}
