import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { createFairPlaces } from '../../../kernel/fair-places.ts';
import type { Models } from '../../../models/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { RagChunksTable } from '../../../storage/database/tables/rag.ts';
import { IndexFailure, type VectorStore } from '../../../storage/vectors/index.ts';
import { wordsOf } from '../chunk-words.ts';
import type { Following } from '../following.ts';
import type { Reconciliation } from '../reconciliation.ts';
import { chunkIdOf, pagesOf, toChunk } from '../document-views.ts';
import { ragErrors } from '../errors.ts';
import { findChunks, listChunks } from '../queries/chunks.ts';
import { findDocumentsOfUnits, listUnits } from '../queries/found-units.ts';
import { findCurrentIndex, findIndex, findNextIndex, type RagIndex } from '../queries/indexes.ts';
import type { RagHit, SearchRequest, SearchResult } from '../schemas/searches.ts';
import { findCandidates } from './candidates.ts';
import { defaultWeights } from './fusion.ts';
import { pageOfHighlights } from './highlight-pages.ts';
import { createHighlighter } from './highlights.ts';
import { createQueryVectors } from './query-vectors.ts';
import { rerankTexts } from './reranking.ts';

export type Search = {
  /**
   * Throws KNOWLEDGE_BASE_NOT_FOUND, KNOWLEDGE_BASE_INDEX_REBUILDING, QUERY_NOT_EMBEDDED, RAG_NOT_RERANKED; for the index of a rebuild
   * REBUILD_NOT_FOUND.
   */
  search(
    knowledgeBaseId: string,
    request: SearchRequest,
    signal?: AbortSignal,
    which?: 'CURRENT' | 'NEXT',
  ): Promise<SearchResult>;
};

const defaultCandidates = 50;
/** Concurrent searches of indexes; more would only compete for the processors. */
const searchesAtOnce = Math.max(4, 2 * availableParallelism());

export function createSearch({
  db,
  models,
  vectors,
  reconciliation,
  following,
  atOnce = searchesAtOnce,
}: {
  db: Database;
  models: Pick<Models, 'embed' | 'rerank' | 'registry'>;
  vectors: Pick<VectorStore, 'open'>;
  reconciliation: Pick<Reconciliation, 'requireWhole' | 'makeAgain'>;
  following: Pick<Following, 'catchUp'>;
  /** Maximum number of concurrent searches of indexes. */
  atOnce?: number;
}): Search {
  const queries = createQueryVectors({ db, models });
  const places = createFairPlaces(atOnce);

  type Found = Omit<SearchResult, 'tookMs'>;

  /** Searches one index; returns undefined if it was replaced meanwhile. */
  async function searchIn(
    base: RagIndex,
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<Found | undefined> {
    const { query, topK = 10, mode = 'HYBRID', filter, minScore = 0, expand = 0, rerank } = request;
    const { weights = defaultWeights(base.embeddingModel) } = request;
    const { knowledgeBaseId, indexId, dimensions } = base;
    // Nothing was ever indexed.
    if (dimensions === null) return { hits: [], behind: 0 };
    await reconciliation.requireWhole(base);
    const behind = await following.catchUp(base, signal);
    // It may have turned out to be unreadable.
    if (behind > 0) await reconciliation.requireWhole(base);
    const units = filter === undefined ? undefined : await listUnits(db.read, base, filter);
    if (units?.length === 0) return { hits: [], behind };
    const vector = mode === 'KEYWORD' ? undefined : await queries.vectorOf(base, query, signal);
    const index = await vectors.open(indexId, dimensions);
    const documents = new Map<number, { id: string; name: string }>();
    let isWhole = true;
    const keepCurrent = async (some: readonly number[]): Promise<ReadonlySet<number>> => {
      const current = await findDocumentsOfUnits(db.read, base, some);
      for (const one of current) documents.set(one.unit, one);
      isWhole &&= current.length === some.length;
      return new Set(current.map(({ unit }) => unit));
    };
    const limit = rerank === undefined ? topK : Math.max(topK, rerank.candidates ?? defaultCandidates);
    const leave = await places.acquire(knowledgeBaseId, signal);
    const asked = { query, mode, weights, vector, limit, units, keepCurrent };
    const ranked = await findCandidates(index, asked)
      .catch(async (error: unknown) => {
        if (!(error instanceof IndexFailure) || error.isPassing) throw error;
        // If nobody has reopened it meanwhile, it is unreadable.
        if ((await vectors.open(indexId, dimensions)) === index) reconciliation.makeAgain(base, error);
        return undefined;
      })
      .finally(leave);
    signal?.throwIfAborted();
    if (ranked === undefined) return undefined;
    const shown = rerank === undefined ? ranked.filter(({ score }) => score >= minScore) : ranked;
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
      // Deleted since its document was looked up.
      if (row === undefined || document === undefined) continue;
      hits.push({
        ...toChunk(row),
        documentId: document.id,
        documentName: document.name,
        score: one.score,
        scores: { vector: one.vector, keyword: one.keyword, rerank: null },
        ranks: one.ranks,
        highlights: [],
      });
    }
    isWhole &&= hits.length === shown.length;
    if (!isWhole && (await findIndex(db.read, base)) === undefined) return undefined;
    const best = rerank === undefined ? hits : (await rerankHits(hits, request, signal)).slice(0, topK);
    const highlight = createHighlighter(query);
    for (const hit of best) {
      hit.highlights = highlight(hit.text);
      const row = chunks.get(hit.chunkId);
      if (row !== undefined) hit.page = pageOfHighlights(hit, pagesOf(row));
      if (expand > 0 && row !== undefined)
        hit.neighbours = (await neighboursOf(knowledgeBaseId, row, expand)).map(toChunk);
    }
    return { hits: best, behind };
  }

  /** Reorders hits by a reranking model, and drops those below the minimum score. */
  async function rerankHits(
    hits: readonly RagHit[],
    { query, rerank, minScore = 0 }: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<RagHit[]> {
    const texts = hits.map(wordsOf);
    const scores = await rerankTexts(models, { model: rerank?.model ?? '', query, texts }, signal);
    return hits
      .map((hit, at) => {
        const score = scores[at] ?? 0;
        return { ...hit, score, scores: { ...hit.scores, rerank: score } };
      })
      .filter(({ score }) => score >= minScore)
      .sort((one, other) => other.score - one.score);
  }

  /** Like `searchIn`, but returns undefined if it failed because the index was deleted meanwhile. */
  async function trySearchIn(...[base, ...rest]: Parameters<typeof searchIn>): Promise<Found | undefined> {
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
        throw invalid('weights', parameterProblems.MUST_NOT_BOTH_BE_ZERO.reason({}));
      for (;;) {
        signal?.throwIfAborted();
        const current = await findCurrentIndex(db.read, knowledgeBaseId);
        if (current === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: knowledgeBaseId });
        const index = which === 'CURRENT' ? current : await findNextIndex(db.read, knowledgeBaseId);
        if (index === undefined) throw ragErrors.REBUILD_NOT_FOUND({ id: knowledgeBaseId });
        const found = await trySearchIn(index, request, signal);
        if (found !== undefined) return { ...found, tookMs: Math.round((performance.now() - began) * 100) / 100 };
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
