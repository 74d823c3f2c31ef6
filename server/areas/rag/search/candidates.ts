import type { FoundChunk, VectorIndex } from '../../../storage/vectors/index.ts';
import type { SearchRequest } from '../schemas/searches.ts';
import { rankHybrid, rankKeyword, rankVector, type RankedChunk } from './fusion.ts';

export type CandidateQuery = {
  query: string;
  mode: NonNullable<SearchRequest['mode']>;
  weights: NonNullable<SearchRequest['weights']>;
  vector: Float32Array | undefined;
  limit: number;
  /** Units left by a filter; undefined: all. */
  units: readonly number[] | undefined;
  /** Returns the units that documents name; the index also has deleted, replaced and incomplete ones. */
  keepCurrent: (units: readonly number[]) => Promise<ReadonlySet<number>>;
};

/**
 * Candidates per list in hybrid search, independent of the number of hits, so that scores and order don't depend on it.
 */
const hybridCandidates = 200;
/** Extra candidates requested at first, since the index may have chunks that no document names. */
const spare = 20;
/** Factor by which the request grows until there are enough. */
const growth = 4;

/** The best chunks of a search mode, best first. Ranks count only chunks that documents name. */
export async function findCandidates(index: VectorIndex, asked: CandidateQuery): Promise<RankedChunk[]> {
  const { query, mode, weights, vector, units } = asked;
  const byVector = (limit: number): Promise<FoundChunk[]> =>
    vector === undefined
      ? Promise.resolve([])
      : findEnough((most) => index.findNearest(vector, { limit: most, units }), limit, asked);
  const byKeyword = (limit: number): Promise<FoundChunk[]> =>
    findEnough((most) => index.findWords(query, { limit: most, units }), limit, asked);
  if (mode === 'VECTOR') return rankVector(await byVector(asked.limit));
  if (mode === 'KEYWORD') return rankKeyword(await byKeyword(asked.limit));
  const lists = await Promise.all([
    weights.vector === 0 ? [] : byVector(hybridCandidates),
    weights.keyword === 0 ? [] : byKeyword(hybridCandidates),
  ]);
  return rankHybrid(...lists, weights).slice(0, asked.limit);
}

async function findEnough(
  find: (most: number) => Promise<FoundChunk[]>,
  limit: number,
  { keepCurrent }: Pick<CandidateQuery, 'keepCurrent'>,
): Promise<FoundChunk[]> {
  for (let most = limit + spare; ; most *= growth) {
    const found = await find(most);
    const current = await keepCurrent([...new Set(found.map(({ unit }) => unit))]);
    const kept = found.filter(({ unit }) => current.has(unit));
    if (kept.length >= limit || found.length < most) return kept.slice(0, limit);
  }
}
