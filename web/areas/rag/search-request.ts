import type { RagHit, RagSearch, SearchWeights } from '../../api/schema.ts';
import type { HitsSearch } from './rag-search.ts';

export const defaultTopK = 10;
const dayMs = 86_400_000;

/** The search request of an address. */
export function requestOf(search: HitsSearch): RagSearch {
  const { q = '', mode = 'HYBRID', topK = defaultTopK, minScore = 0, vector } = search;
  const filter = filterOf(search);
  return {
    query: q.trim(),
    mode,
    topK,
    ...(minScore > 0 ? { minScore } : {}),
    ...(mode === 'HYBRID' && vector !== undefined ? { weights: { vector, keyword: 100 - vector } } : {}),
    ...(search.expand === undefined ? {} : { expand: search.expand }),
    ...(search.rerank === undefined ? {} : { rerank: { model: search.rerank } }),
    ...(Object.keys(filter).length > 0 ? { filter } : {}),
  };
}

/** Days are inclusive at both ends, and in UTC. */
function filterOf({
  types,
  tags,
  dataset,
  documents,
  metadata,
  after,
  before,
}: HitsSearch): NonNullable<RagSearch['filter']> {
  return {
    ...(types === undefined ? {} : { fileTypes: listOf(types) }),
    ...(tags === undefined ? {} : { tags: listOf(tags) }),
    ...(dataset === undefined ? {} : { datasetIds: [dataset] }),
    ...(documents === undefined ? {} : { documentIds: listOf(documents) }),
    ...(metadata === undefined ? {} : { metadata: pairsOf(metadata) }),
    ...(after === undefined ? {} : { createdAfter: new Date(after).toISOString() }),
    ...(before === undefined ? {} : { createdBefore: new Date(Date.parse(before) + dayMs).toISOString() }),
  };
}

/** Parses a list of `name=value`; entries without a name are left out. */
export function pairsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    listOf(text).flatMap((pair) => {
      const at = pair.indexOf('=');
      return at < 1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]];
    }),
  );
}

/** Whether a hit of a hybrid search contains none of the query's words. */
export function isWithoutWords(
  { scores, highlights }: Pick<RagHit, 'scores' | 'highlights'>,
  { mode }: Pick<RagSearch, 'mode'>,
): boolean {
  return (mode ?? 'HYBRID') === 'HYBRID' && scores.keyword === null && highlights.length === 0;
}

export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** The weight of the vector list in percent. */
export function vectorShare({ vector, keyword }: SearchWeights): number {
  return Math.round((100 * vector) / (vector + keyword));
}

/** Each list's part of the hybrid score, computed from the ranks as in the service. */
export function fusionParts(
  ranks: { vector: number | null; keyword: number | null },
  weights: SearchWeights,
): { vector: number; keyword: number } {
  const part = (name: 'vector' | 'keyword'): number => {
    const rank = ranks[name];
    return rank === null ? 0 : (weights[name] * 61) / (60 + rank) / (weights.vector + weights.keyword);
  };
  return { vector: part('vector'), keyword: part('keyword') };
}
