import type { ListedRun } from '../api/schema.ts';
import type { TaskPages } from '../shell/area.ts';

/** The page of a run; undefined if this application has none for its area. */
export function addressOfRun(
  { area, taskId, id }: Pick<ListedRun, 'area' | 'taskId' | 'id'>,
  areas: readonly TaskPages[],
): string | undefined {
  const pages = areas.find(({ prefix }) => prefix === area);
  return pages === undefined ? undefined : `${pages.path}/${taskId}/runs/${id}`;
}

/** Whether a run profiles a dataset: it belongs to no task and has no page of its own. */
export function isProfile({ area }: Pick<ListedRun, 'area'>): boolean {
  return area === 'data-cleaning/profiles';
}
