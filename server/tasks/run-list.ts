import { parseDirection, toPage, type Page } from '../kernel/page.ts';
import type { Run, Runs } from '../runs/index.ts';
import type { Database } from '../storage/database/database.ts';
import { taskErrors } from './errors.ts';
import { listTaskNames } from './queries/tasks.ts';
import type { AllRunsQuery } from './schemas.ts';

/** A run in the list of all runs, with the name of its task and what that belongs to. */
export type ListedRun = Run & RunName;

/** `within`: what the subject of a run without a task belongs to, such as the knowledge base of a document. */
export type RunName = { taskName: string | null; within: { id: string; name: string } | null };

/** By kind of run: finds the names of the runs' subjects by their task ids. */
export type RunNames = Readonly<Record<string, (taskIds: readonly string[]) => Promise<ReadonlyMap<string, RunName>>>>;

/** The runs of all areas. */
export type RunList = {
  listRuns(query: AllRunsQuery): Promise<Page<ListedRun>>;
  /** A run of any area. Throws RUN_UNKNOWN. */
  getRun(id: string): Promise<ListedRun>;
};

export function createRunList({
  db,
  runs,
  runNames,
}: {
  db: Pick<Database, 'read'>;
  runs: Pick<Runs, 'listRuns' | 'findRuns'>;
  /** For kinds of runs that belong to no task. */
  runNames: RunNames;
}): RunList {
  async function named(found: readonly Run[]): Promise<ListedRun[]> {
    const taskIds = [...new Set(found.map(({ taskId }) => taskId))];
    const names = new Map<string, RunName>();
    for (const { id, name } of await listTaskNames(db.read, taskIds)) names.set(id, { taskName: name, within: null });
    for (const [kind, find] of Object.entries(runNames)) {
      const own = new Set(found.filter((run) => run.area === kind).map(({ taskId }) => taskId));
      if (own.size > 0) for (const [id, name] of await find([...own])) names.set(id, name);
    }
    return found.map((run) => ({ ...run, ...(names.get(run.taskId) ?? { taskName: null, within: null }) }));
  }

  return {
    async listRuns(query) {
      const { area, status, createdBy } = query;
      const statuses = status === undefined ? undefined : [status];
      const direction = parseDirection(query.sort);
      const found = await runs.listRuns({ area, statuses, createdBy }, query, direction);
      return toPage(await named(found.runs), query, found.total);
    },
    async getRun(id) {
      const [run] = await named([...(await runs.findRuns(db.read, [id])).values()]);
      if (run === undefined) throw taskErrors.RUN_UNKNOWN({ id });
      return run;
    },
  };
}
