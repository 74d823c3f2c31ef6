import { isoNow, type Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { offsetOf, parseSort, toPage, type Page } from '../kernel/page.ts';
import { searchTextOf } from '../kernel/search-text.ts';
import type { Run, RunEvents, Runs } from '../runs/index.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import type { TasksTable } from '../storage/database/tables/tasks.ts';
import { taskErrors } from './errors.ts';
import { createExecutions } from './executions.ts';
import { namedColumnsOf, namedOrderColumns } from './named-rows.ts';
import { replaceLinks } from './queries/links.ts';
import { countTasks, deleteTask, findTask, insertTask, listTasks, lockTask, updateTask } from './queries/tasks.ts';
import { scheduleColumnsOf } from './schedule.ts';
import { fireSchedule, type ScheduleLogger } from './schedule-firing.ts';
import type { Execution, NewTaskFields, TasksQuery } from './schemas.ts';
import type { StoredTask, TaskArea, TaskView } from './task-area.ts';
import { createTaskRuns, type TaskRuns } from './task-runs.ts';
import { createTaskViews, toStoredTask } from './task-view.ts';

/** The tasks of one area and their runs. All methods that take an id throw TASK_NOT_FOUND. */
export type Tasks<Given, Definition, Own> = TaskRuns & {
  list(query: TasksQuery): Promise<Page<TaskView<Own>>>;
  create(task: Given, by: string): Promise<TaskView<Own>>;
  get(id: string): Promise<TaskView<Own>>;
  /** Throws TASK_RUNNING. */
  update(id: string, changes: Partial<Given>, by: string): Promise<TaskView<Own>>;
  /** Deletes the task and its runs; their results are kept. Throws TASK_RUNNING. */
  remove(id: string): Promise<void>;
  /**
   * Queues a run. Throws TASK_RUNNING; with `resume` NOTHING_TO_RESUME or TASK_CHANGED; with `failedOf` FAILED_OF_REFUSED.
   */
  execute(id: string, execution: Execution, by: string): Promise<Run>;
  /** The task in its stored form. */
  find(id: string): Promise<StoredTask<Definition>>;
  /** The task, locked until the end of the transaction; for the drivers of its runs. */
  lock(tx: Tx, id: string): Promise<StoredTask<Definition> | undefined>;
  /** Changes the definition of a locked task. */
  redefine(tx: Tx, id: string, definition: Definition): Promise<void>;
  /** Executes a due task, unless another process already has. */
  fire(id: string): Promise<void>;
};

export type TaskServices = { db: Database; clock: Clock; logger: ScheduleLogger; runs: Runs; events: RunEvents };

/** Creates the tasks of an area. */
export function createTasks<Given extends NewTaskFields, Definition, Own>(
  services: TaskServices,
  area: TaskArea<Given, Definition, Own>,
): Tasks<Given, Definition, Own> {
  const { db, clock, logger, runs, events } = services;
  const viewsOf = createTaskViews(services, area);
  const executions = createExecutions(services, area);
  const taskRuns = createTaskRuns({ db, area: area.area, runs, events, getRow });

  async function getRow(id: string): Promise<TasksTable> {
    const row = await findTask(db.read, area.area, id);
    if (row === undefined) throw taskErrors.TASK_NOT_FOUND({ id });
    return row;
  }

  async function get(id: string): Promise<TaskView<Own>> {
    const [view] = await viewsOf([await getRow(id)]);
    if (view === undefined) throw taskErrors.TASK_NOT_FOUND({ id });
    return view;
  }

  return {
    async list(query) {
      const { status, keyword, operatorId } = query;
      const filter = {
        area: area.area,
        status,
        keyword: keyword === undefined || keyword === '' ? undefined : searchTextOf(keyword),
        operatorId,
      };
      const total = await countTasks(db.scan, filter);
      const offset = offsetOf(query);
      if (offset >= total) return toPage([], query, total);
      const order = parseSort(namedOrderColumns, query.sort, { column: 'created_at', direction: 'desc' });
      const rows = await listTasks(db.scan, filter, order, { limit: query.size, offset });
      return toPage(await viewsOf(rows), query, total);
    },

    async create(given, by) {
      const id = newId();
      const now = isoNow(clock);
      const words = namedColumnsOf(given);
      const prepared = (await area.prepare?.(given, undefined)) ?? given;
      const schedule = scheduleColumnsOf(prepared.schedule, by, clock.now());
      await db.write(async (tx) => {
        const definition = await area.define(tx, prepared, undefined, id);
        const stamps = { created_at: now, created_by: by, updated_at: now, updated_by: by };
        const own = { id, area: area.area, definition: JSON.stringify(definition), last_run_id: null };
        await insertTask(tx, { ...own, ...words, ...schedule, ...stamps });
        await replaceLinks(tx, id, area.linksOf?.(definition) ?? []);
      });
      return get(id);
    },

    get,

    async update(id, given, by) {
      const before = await getRow(id);
      const changes = (await area.prepare?.(given, toStoredTask(before, area))) ?? given;
      const schedule = changes.schedule === undefined ? {} : scheduleColumnsOf(changes.schedule, by, clock.now());
      await db.write(async (tx) => {
        const { row } = await executions.lockIdle(tx, id);
        const task = toStoredTask(row, area);
        const texts = { name: given.name ?? row.name, description: given.description ?? row.description };
        const definition = await area.define(tx, { ...area.change(task, changes), ...texts }, task.definition, id);
        const stamps = { updated_at: isoNow(clock), updated_by: by };
        await updateTask(tx, id, {
          ...namedColumnsOf(texts),
          ...schedule,
          ...stamps,
          definition: JSON.stringify(definition),
        });
        await replaceLinks(tx, id, area.linksOf?.(definition) ?? []);
      });
      return get(id);
    },

    async remove(id) {
      await db.write(async (tx) => {
        await executions.lockIdle(tx, id);
        await runs.deleteRuns(tx, area.area, id);
        await area.remove?.(tx, id);
        await deleteTask(tx, id);
      });
    },

    execute: executions.execute,

    ...taskRuns,

    find: async (id) => toStoredTask(await getRow(id), area),

    async lock(tx, id) {
      const row = await lockTask(tx, area.area, id);
      return row === undefined ? undefined : toStoredTask(row, area);
    },

    async redefine(tx, id, definition) {
      await updateTask(tx, id, { definition: JSON.stringify(definition), updated_at: isoNow(clock) });
    },

    fire: (id) => fireSchedule({ db, clock, runs, logger }, { area: area.area, enqueue: executions.enqueue }, id),
  };
}
