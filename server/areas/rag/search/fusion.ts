import { findBuiltIn } from '../../../models/index.ts';
import type { FoundChunk } from '../../../storage/vectors/index.ts';

export type Weights = { vector: number; keyword: number };

/**
 * Default weights. The built-in embedding captures words but not meaning: what it finds beyond the keyword list is
 * seldom relevant. docs/knowledge-bases.md explains how the weights were chosen.
 */
export function defaultWeights(embeddingModel: string): Weights {
  return findBuiltIn(embeddingModel) === undefined ? { vector: 1, keyword: 1 } : { vector: 1, keyword: 3 };
}

/**
 * A chunk with the score of the mode and, for each list that has it, cosine similarity or BM25 score and rank (from 1).
 */
export type RankedChunk = {
  unit: number;
  ordinal: number;
  score: number;
  vector: number | null;
  keyword: number | null;
  ranks: { vector: number | null; keyword: number | null };
};

/** The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). */
const rankConstant = 60;
/** The BM25 score that maps to one half. */
const halfBm25 = 5;

/** The score of a hit by its ranks in both lists, from 1; a list without it adds nothing. */
export function fusedScore(
  ranks: { vector: number | null; keyword: number | null },
  { vector, keyword }: Weights,
): number {
  const share = (weight: number, rank: number | null): number =>
    rank === null ? 0 : (weight * (rankConstant + 1)) / (rankConstant + rank) / (vector + keyword);
  return share(vector, ranks.vector) + share(keyword, ranks.keyword);
}

/** Cosine similarity as a score from 0 to 1. */
export function rankVector(found: readonly FoundChunk[]): RankedChunk[] {
  return found.map(({ unit, ordinal, score }, index) => {
    const ranks = { vector: index + 1, keyword: null };
    return { unit, ordinal, score: Math.min(1, Math.max(0, score)), vector: score, keyword: null, ranks };
  });
}

/** BM25, which has no upper bound, as a score from 0 to 1. */
export function rankKeyword(found: readonly FoundChunk[]): RankedChunk[] {
  return found.map(({ unit, ordinal, score }, index) => {
    const ranks = { vector: null, keyword: index + 1 };
    return { unit, ordinal, score: score / (score + halfBm25), vector: null, keyword: score, ranks };
  });
}

/** Weighted reciprocal rank fusion, scaled so that a chunk that is first in both lists scores 1. */
export function rankHybrid(
  byVector: readonly FoundChunk[],
  byKeyword: readonly FoundChunk[],
  weights: Weights,
): RankedChunk[] {
  const ranked = new Map<string, RankedChunk>();
  const add = (list: readonly FoundChunk[], name: 'vector' | 'keyword'): void =>
    list.forEach(({ unit, ordinal, score }, rank) => {
      const key = `${unit}-${ordinal}`;
      const one = ranked.get(key) ?? {
        unit,
        ordinal,
        score: 0,
        vector: null,
        keyword: null,
        ranks: { vector: null, keyword: null },
      };
      one[name] = score;
      one.ranks[name] = rank + 1;
      ranked.set(key, one);
    });
  if (weights.vector > 0) add(byVector, 'vector');
  if (weights.keyword > 0) add(byKeyword, 'keyword');
  for (const one of ranked.values()) one.score = fusedScore(one.ranks, weights);
  return [...ranked.values()].sort(
    (one, other) => other.score - one.score || one.unit - other.unit || one.ordinal - other.ordinal,
  );
}
