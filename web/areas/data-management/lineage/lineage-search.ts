import { readVersionSearch } from '../file-views/rows/rows-search.ts';

const directions = ['UP', 'DOWN'] as const;
const rootKinds = ['OPERATOR', 'MODEL', 'KNOWLEDGE_BASE'] as const;
export const usualDepth = 3;

/** Search parameters of lineage: direction, depth, whether to include tools, and whether as a list. */
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

/** The same for the products of an operator, a model or a knowledge base. */
export type UseSearch = LineageSearch & { kind: (typeof rootKinds)[number]; id: string };

export function readUseSearch(search: Record<string, unknown>): UseSearch {
  const { version: _version, ...shown } = readLineageSearch(search);
  const { kind, id } = search;
  return {
    ...shown,
    kind: rootKinds.find((one) => one === kind) ?? 'OPERATOR',
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : '',
  };
}
