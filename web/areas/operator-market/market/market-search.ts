/** Search parameters of the market's list: filters, order and page. */
export type MarketSearch = {
  keyword?: string;
  category?: string;
  kind?: Kind;
  modality?: Modality;
  author?: string;
  capability?: string;
  installed?: boolean;
  verified?: boolean;
  sort?: MarketSort;
  page?: number;
};

export const kinds = ['MAPPER', 'FILTER', 'SPLITTER', 'SELECTOR'] as const;
export type Kind = (typeof kinds)[number];
export const modalities = ['TEXT', 'ANY'] as const;
export type Modality = (typeof modalities)[number];
/** Without one, a search lists the best match first, and any other list is sorted by name. */
export const sorts = ['rating', 'usageCount', 'speed', 'createdAt'] as const;
export type MarketSort = (typeof sorts)[number];

export function readMarketSearch(search: Record<string, unknown>): MarketSearch {
  const { page } = search;
  return {
    ...textOf(search, 'keyword'),
    ...textOf(search, 'category'),
    ...textOf(search, 'author'),
    ...textOf(search, 'capability'),
    ...choiceOf(search, 'kind', kinds),
    ...choiceOf(search, 'modality', modalities),
    ...choiceOf(search, 'sort', sorts),
    ...(typeof search['installed'] === 'boolean' ? { installed: search['installed'] } : {}),
    ...(typeof search['verified'] === 'boolean' ? { verified: search['verified'] } : {}),
    ...(typeof page === 'number' && Number.isInteger(page) && page > 0 ? { page } : {}),
  };
}

export const packageTabs = ['about', 'try', 'versions', 'tasks'] as const;
export type PackageTab = (typeof packageTabs)[number];
export type PackageSearch = { tab?: PackageTab; version?: string };

export function readPackageSearch(search: Record<string, unknown>): PackageSearch {
  return { ...choiceOf(search, 'tab', packageTabs), ...textOf(search, 'version') };
}

export const sampleSizes = [20, 50, 100, 200] as const;
export type CompareSearch = { from?: string; to?: string; dataset?: string; samples?: number };

export function readCompareSearch(search: Record<string, unknown>): CompareSearch {
  const { samples } = search;
  return {
    ...textOf(search, 'from'),
    ...textOf(search, 'to'),
    ...textOf(search, 'dataset'),
    ...(sampleSizes.some((size) => size === samples) ? { samples: samples as number } : {}),
  };
}

/** The router parses values such as `1.0` or `7` as numbers. */
function textOf<Name extends string>(search: Record<string, unknown>, name: Name): { [K in Name]?: string } {
  const value = search[name];
  const text = typeof value === 'number' ? String(value) : value;
  return (typeof text === 'string' && text !== '' ? { [name]: text } : {}) as { [K in Name]?: string };
}

function choiceOf<Name extends string, const Values extends readonly string[]>(
  search: Record<string, unknown>,
  name: Name,
  values: Values,
): { [K in Name]?: Values[number] } {
  const found = values.find((value) => value === search[name]);
  return (found === undefined ? {} : { [name]: found }) as { [K in Name]?: Values[number] };
}
