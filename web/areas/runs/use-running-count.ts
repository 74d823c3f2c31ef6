import { useQuery } from '@tanstack/react-query';
import type { PlaceCount } from '../../shell/area.ts';
import { runningCountQuery } from '../../runs/all-runs-queries.ts';

/** Number of active runs, shown in the navigation. */
export function useRunningCount(): PlaceCount | undefined {
  const { data } = useQuery(runningCountQuery);
  return data === undefined ? undefined : { count: data, isRunning: true };
}
