import { useQuery } from '@tanstack/react-query';
import type { PlaceCount } from '../../shell/area.ts';
import { datasetsQuery } from './dataset-queries.ts';

const refreshMs = 30_000;

/** Number of datasets, shown in the navigation. */
export function useDatasetCount(): PlaceCount | undefined {
  const { data } = useQuery({ ...datasetsQuery({ size: 1 }), refetchInterval: refreshMs });
  return data === undefined ? undefined : { count: data.totalElements };
}
