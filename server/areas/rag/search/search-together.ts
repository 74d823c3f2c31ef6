import { performance } from 'node:perf_hooks';
import type { Database } from '../../../storage/database/database.ts';
import { ragErrors } from '../errors.ts';
import { findCurrentIndex } from '../queries/indexes.ts';
import type { RagHit, SearchRequest, TogetherHit, TogetherRequest, TogetherResult } from '../schemas/searches.ts';
import { defaultWeights, fusedScore, type Weights } from './fusion.ts';
import type { Search } from './search.ts';

export type SearchTogether = {
  /** Searches several knowledge bases as one. Throws what a search of each throws. */
  search(request: TogetherRequest, signal?: AbortSignal): Promise<TogetherResult>;
};

type Found = { hit: RagHit; knowledgeBaseId: string; model: string; weights: Weights };

/** More hits of each base than are asked for: ranks among all bases order them differently. */
const spareFactor = 4;
const mostHits = 200;

export function createSearchTogether({ db, search }: { db: Database; search: Search }): SearchTogether {
  async function searchOne(
    knowledgeBaseId: string,
    request: SearchRequest,
    signal: AbortSignal | undefined,
  ): Promise<{ found: Found[]; behind: number }> {
    const index = await findCurrentIndex(db.read, knowledgeBaseId);
    if (index === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: knowledgeBaseId });
    const { hits, behind } = await search.search(knowledgeBaseId, request, signal);
    const { embeddingModel: model } = index;
    const weights = request.weights ?? defaultWeights(model);
    return { found: hits.map((hit) => ({ hit, knowledgeBaseId, model, weights })), behind };
  }

  return {
    async search({ knowledgeBaseIds, ...request }, signal) {
      const began = performance.now();
      const { topK = 10, mode = 'HYBRID', minScore = 0, rerank } = request;
      const isFused = mode === 'HYBRID' && rerank === undefined;
      const each: SearchRequest = isFused
        ? { ...request, minScore: 0, topK: Math.min(mostHits, spareFactor * topK) }
        : request;
      const results = await Promise.all([...new Set(knowledgeBaseIds)].map((id) => searchOne(id, each, signal)));
      const found = results.flatMap((one) => one.found);
      const hits = (isFused ? fused(found) : found)
        .map(({ hit, knowledgeBaseId }): TogetherHit => ({ knowledgeBaseId, ...hit }))
        .filter(({ score }) => score >= minScore)
        .sort((one, other) => other.score - one.score || one.chunkId.localeCompare(other.chunkId))
        .slice(0, topK);
      const behind = Math.max(...results.map((one) => one.behind));
      return { hits, behind, tookMs: Math.round((performance.now() - began) * 100) / 100 };
    },
  };
}

/**
 * Hits with ranks and scores as if all bases were one: a base without relevant chunks also has a first hit. Similarities of
 * different embedding models can't be compared, so each model has a list of its own.
 */
function fused(found: readonly Found[]): Found[] {
  const byKeyword = ranksOf(found, ({ hit }) => hit.scores.keyword);
  const byVector = new Map<Found, number>();
  for (const of of Map.groupBy(found, ({ model }) => model).values())
    for (const [one, rank] of ranksOf(of, ({ hit }) => hit.scores.vector)) byVector.set(one, rank);
  return found.map((one) => {
    const ranks = { vector: byVector.get(one) ?? null, keyword: byKeyword.get(one) ?? null };
    return { ...one, hit: { ...one.hit, ranks, score: fusedScore(ranks, one.weights) } };
  });
}

function ranksOf(found: readonly Found[], scoreOf: (one: Found) => number | null): Map<Found, number> {
  const listed = found.filter((one) => scoreOf(one) !== null);
  listed.sort((one, other) => (scoreOf(other) ?? 0) - (scoreOf(one) ?? 0));
  return new Map(listed.map((one, index) => [one, index + 1]));
}
