import { parseSort } from '../../kernel/page.ts';
import { searchTextOf } from '../../kernel/search-text.ts';
import type { MarketOperator, OperatorFacets, operatorSortFields, OperatorsQuery } from './schemas/operators.ts';
import { parseWords, searchWords } from './word-search.ts';

/** Selects and sorts the operators for a query; a search by words without `sort` is ordered by relevance. */
export function selectOperators(all: readonly MarketOperator[], query: OperatorsQuery): MarketOperator[] {
  const filtered = all.filter((operator) => isMatch(operator, query));
  const words = parseWords(query.words ?? '');
  const found = words.length === 0 ? filtered : searchWords(filtered, words);
  return words.length > 0 && query.sort === undefined ? found : found.toSorted(orderOf(query.sort));
}

/** The values to filter by, with counts, most frequent first. */
export function facetsOf(operators: readonly MarketOperator[]): OperatorFacets {
  const countsOf = (valuesOf: (operator: MarketOperator) => readonly string[]): OperatorFacets['categories'] => {
    const counts = new Map<string, number>();
    for (const value of operators.flatMap(valuesOf)) counts.set(value, (counts.get(value) ?? 0) + 1);
    return [...counts]
      .map(([value, count]) => ({ value, count }))
      .toSorted((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
  };
  return {
    categories: countsOf(({ categories }) => [...new Set(categories)]),
    authors: countsOf(({ author }) => [author]),
    capabilities: countsOf(({ capabilities }) => capabilities),
    kinds: countsOf(({ kind }) => [kind]),
    modalities: countsOf(({ modality }) => [modality]),
  };
}

function isMatch(operator: MarketOperator, query: OperatorsQuery): boolean {
  const { keyword, modality, kind, category, author, capability, source, installed, verified } = query;
  if (modality !== undefined && operator.modality !== modality) return false;
  if (kind !== undefined && operator.kind !== kind) return false;
  if (category !== undefined && !operator.categories.includes(category)) return false;
  if (author !== undefined && operator.author !== author) return false;
  if (capability !== undefined && !hasCapability(operator, capability)) return false;
  if (source !== undefined && operator.source !== source) return false;
  if (installed !== undefined && operator.installed !== installed) return false;
  if (verified !== undefined && (operator.signature?.verified === true) !== verified) return false;
  const text = searchTextOf(`${operator.id}\uFFFF${operator.name}\uFFFF${operator.description}`);
  return keyword === undefined || text.includes(searchTextOf(keyword));
}

function hasCapability({ capabilities }: MarketOperator, wanted: string): boolean {
  return wanted === 'none' ? capabilities.length === 0 : capabilities.includes(wanted);
}

const orderKeys: Readonly<Record<(typeof operatorSortFields)[number], (operator: MarketOperator) => string | number>> =
  {
    id: ({ id }) => id,
    name: ({ name }) => searchTextOf(name),
    rating: ({ rating }) => rating.average ?? 0,
    usageCount: ({ usageCount }) => usageCount,
    speed: ({ metrics }) => metrics?.samplesPerSecond ?? 0,
    createdAt: ({ createdAt }) => createdAt ?? '',
  };

function orderOf(sort: string | undefined): (a: MarketOperator, b: MarketOperator) => number {
  const { column: key, direction } = parseSort(orderKeys, sort, { column: orderKeys.name, direction: 'asc' });
  const sign = direction === 'desc' ? -1 : 1;
  return (a, b) => {
    const [one, other] = [key(a), key(b)];
    if (one !== other) return sign * (one < other ? -1 : 1);
    return a.id < b.id ? -1 : 1;
  };
}
