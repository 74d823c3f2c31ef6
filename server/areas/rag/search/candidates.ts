import type { FoundChunk, VectorIndex } from '../../../storage/vectors/index.ts';
import type { SearchRequest } from '../schemas/searches.ts';
import { rankHybrid, rankKeyword, rankVector, type RankedChunk } from './fusion.ts';

export type CandidateQuery = {
  query: string;
  mode: NonNullable<SearchRequest['mode']>;
  weights: NonNullable<SearchRequest['weights']>;
  vector: Float32Array | undefined;
  limit: number;
  /** The units that a filter leaves; undefined: all. */
  units: readonly number[] | undefined;
  /** Which of some units documents name; the index also has others: deleted, replaced or not yet complete. */
  keepCurrent: (units: readonly number[]) => Promise<ReadonlySet<number>>;
};

/** Candidates of each list for hybrid search, as many for each number of hits: scores and order do not depend on it. */
const hybridCandidates = 200;
/** Chunks that no document names may be in the index: so many more are asked for at first. */
const spare = 20;
/** Then so many times as many, until there are enough. */
const growth = 4;

/** The chunks that a mode finds, best first. Ranks are among chunks that documents name. */
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
