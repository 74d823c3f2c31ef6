import type { ListedRun } from '../api/schema.ts';
import type { TaskPages } from '../shell/area.ts';

/** The area of a run; undefined if this application does not have it. */
export function areaOfRun({ area }: Pick<ListedRun, 'area'>, areas: readonly TaskPages[]): TaskPages | undefined {
  return areas.find(({ prefix, withoutTask }) => prefix === area || withoutTask?.prefix === area);
}

/** The page of a run; undefined if this application has none for its area. */
export function addressOfRun(
  run: Pick<ListedRun, 'area' | 'taskId' | 'id' | 'within'>,
  areas: readonly TaskPages[],
): string | undefined {
  const pages = areaOfRun(run, areas);
  if (pages === undefined) return undefined;
  if (pages.addressOf !== undefined) return pages.addressOf(run);
  return pages.withoutTask?.prefix === run.area
    ? `${pages.withoutTask.path}/${run.id}`
    : `${pages.path}/${run.taskId}/runs/${run.id}`;
}

/** Message key of the title of a run without a named task; it may never have had one. */
export function unnamedRun({ area }: Pick<ListedRun, 'area'>) {
  switch (area) {
    case 'data-cleaning/profiles':
      return 'runs.all.profile';
    case 'rag':
      return 'runs.all.document';
    case 'rag-rebuild':
      return 'runs.all.rebuild';
    default:
      return 'runs.all.deletedTask';
  }
}
