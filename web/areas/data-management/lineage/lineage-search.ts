import { readVersionSearch } from '../rows/rows-search.ts';

const directions = ['UP', 'DOWN'] as const;

/** Search parameters of lineage: which way and how far, with which things, and whether as a list. */
export type LineageSearch = {
  version?: number;
  direction?: (typeof directions)[number];
  depth?: number;
  tools?: true;
  list?: true;
};

export function readLineageSearch(search: Record<string, unknown>): LineageSearch {
  const { depth, tools, list } = search;
  const direction = directions.find((one) => one === search.direction);
  return {
    ...readVersionSearch(search),
    ...(direction === undefined ? {} : { direction }),
    ...(typeof depth === 'number' && Number.isInteger(depth) && depth >= 1 && depth <= 20 ? { depth } : {}),
    ...(tools === true ? { tools } : {}),
    ...(list === true ? { list } : {}),
  };
}
