import type { Clock } from '../kernel/clock.ts';
import { parseDirection, toPage, type Page } from '../kernel/page.ts';
import { createRunEvents, type Run, type Runs } from '../runs/index.ts';
import type { Database } from '../storage/database/database.ts';
import { taskErrors } from './errors.ts';
import { countLinks } from './queries/links.ts';
import { listTaskNames } from './queries/tasks.ts';
import { createSchedules } from './schedules.ts';
import type { AllRunsQuery, NewTaskFields } from './schemas.ts';
import type { TaskArea, TaskLink } from './task-area.ts';
import { createTasks, type Tasks } from './tasks.ts';

/** A run in the list of all: the name of its task, and what that belongs to. */
export type ListedRun = Run & RunName;

/** `within`: of what has no task, such as a document, what it belongs to. */
export type RunName = { taskName: string | null; within: { id: string; name: string } | null };

/** By kind of run, the names of what its runs are about, by their task ids. */
export type RunNames = Readonly<Record<string, (taskIds: readonly string[]) => Promise<ReadonlyMap<string, RunName>>>>;

/** The shared part of the tasks of all areas. */
export type TaskFloor = {
  /** Registers the tasks of an area; call before `start`. */
  define<Given extends NewTaskFields, Definition, Own>(
    area: TaskArea<Given, Definition, Own>,
  ): Tasks<Given, Definition, Own>;
  /** Names the runs of areas whose runs belong to no task. */
  addRunNames(names: RunNames): void;
  /** Number of tasks that refer to each of these; unused ones are missing. */
  countUses(role: TaskLink['role'], refs: readonly string[]): Promise<Map<string, number>>;
  /** Runs of all areas. */
  listRuns(query: AllRunsQuery): Promise<Page<ListedRun>>;
  /** A run of any area. Throws RUN_UNKNOWN. */
  getRun(id: string): Promise<ListedRun>;
  /** Starts the schedules. */
  start(): void;
  stop(): Promise<void>;
};

export function createTaskFloor(options: {
  db: Database;
  clock: Clock;
  logger: { error(details: object, message: string): void; warn(details: object, message: string): void };
  runs: Runs;
}): TaskFloor {
  const { db, clock, logger, runs } = options;
  const events = createRunEvents({ db, runs });
  const namers: Record<string, RunNames[string]> = {};
  const firing = new Map<string, (taskId: string) => Promise<void>>();
  const schedules = createSchedules({
    db,
    clock,
    logger,
    fire: async (area, taskId) => firing.get(area)?.(taskId),
  });

  async function named(found: readonly Run[]): Promise<ListedRun[]> {
    const taskIds = [...new Set(found.map(({ taskId }) => taskId))];
    const names = new Map<string, RunName>();
    for (const { id, name } of await listTaskNames(db.read, taskIds)) names.set(id, { taskName: name, within: null });
    for (const [kind, find] of Object.entries(namers)) {
      const own = new Set(found.filter((run) => run.area === kind).map(({ taskId }) => taskId));
      if (own.size > 0) for (const [id, name] of await find([...own])) names.set(id, name);
    }
    return found.map((run) => ({ ...run, ...(names.get(run.taskId) ?? { taskName: null, within: null }) }));
  }

  return {
    define(area) {
      const tasks = createTasks({ db, clock, logger, runs, events }, area);
      firing.set(area.area, tasks.fire);
      return tasks;
    },
    addRunNames: (names) => void Object.assign(namers, names),
    async countUses(role, refs) {
      if (refs.length === 0) return new Map();
      return new Map((await countLinks(db.scan, role, refs)).map(({ ref, count }) => [ref, count]));
    },
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
    start: schedules.start,
    stop: schedules.stop,
  };
}
