import type { ListedRun } from '../api/schema.ts';
import type { TaskPages } from '../shell/area.ts';

/** The area of a run; undefined if this application does not have it. */
export function areaOfRun({ area }: Pick<ListedRun, 'area'>, areas: readonly TaskPages[]): TaskPages | undefined {
  return areas.find(({ prefix, withoutTask }) => prefix === area || withoutTask?.prefix === area);
}

/** The page of a run; undefined if this application has none for its area. */
export function addressOfRun(
  run: Pick<ListedRun, 'area' | 'taskId' | 'id'>,
  areas: readonly TaskPages[],
): string | undefined {
  const pages = areaOfRun(run, areas);
  if (pages === undefined) return undefined;
  return pages.withoutTask?.prefix === run.area
    ? `${pages.withoutTask.path}/${run.id}`
    : `${pages.path}/${run.taskId}/runs/${run.id}`;
}

/** Whether a run profiles a dataset: it belongs to no task. */
export function isProfile({ area }: Pick<ListedRun, 'area'>): boolean {
  return area === 'data-cleaning/profiles';
}
