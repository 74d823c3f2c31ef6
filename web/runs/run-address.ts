import type { ListedRun } from '../api/schema.ts';
import type { TaskPages } from '../shell/area.ts';

/** The page of a run; undefined when its area has none here. */
export function addressOfRun(
  { area, taskId, id }: Pick<ListedRun, 'area' | 'taskId' | 'id'>,
  areas: readonly TaskPages[],
): string | undefined {
  const pages = areas.find(({ prefix }) => prefix === area);
  return pages === undefined ? undefined : `${pages.path}/${taskId}/runs/${id}`;
}
