import { useQuery } from '@tanstack/react-query';
import type { PlaceCount } from '../../shell/area.ts';
import { datasetsQuery } from './dataset-queries.ts';

const refreshMs = 30_000;

/** How many datasets there are, beside their place in the navigation. */
export function useDatasetCount(): PlaceCount | undefined {
  const { data } = useQuery({ ...datasetsQuery({ size: 1 }), refetchInterval: refreshMs });
  return data === undefined ? undefined : { count: data.totalElements };
}
