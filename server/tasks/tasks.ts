import { isDeepStrictEqual } from 'node:util';
import { isoNow, type Clock } from '../kernel/clock.ts';
import { invalid, type AppError } from '../kernel/errors.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';
import type { EventFeed } from '../kernel/event-feed.ts';
import { newId } from '../kernel/ids.ts';
import { offsetOf, parseDirection, parseSort, toPage, type Page, type PageRequest } from '../kernel/page.ts';
import { searchTextOf } from '../kernel/search-text.ts';
import { parseName, parseText } from '../kernel/text-fields.ts';
import {
  isUnfinished,
  parseRunEventId,
  runEventIdPattern,
  type LogLine,
  type Run,
  type RunEvents,
  type Runs,
} from '../runs/index.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import { refusingDuplicates } from '../storage/database/sql.ts';
import type { TasksTable } from '../storage/database/tables/tasks.ts';
import { taskErrors } from './errors.ts';
import { replaceLinks } from './queries/links.ts';
import {
  countTasks,
  deleteTask,
  findTask,
  findTasks,
  insertTask,
  listTasks,
  lockTask,
  updateTask,
  type TaskOrder,
} from './queries/tasks.ts';
import { parseSchedule, type ParsedSchedule } from './schedule.ts';
import { fireSchedule, type ScheduleLogger } from './schedule-firing.ts';
import type { Execution, NewSchedule, NewTaskFields, RunsQuery, TasksQuery, taskSortFields } from './schemas.ts';
import type { RunOrigin, StoredTask, TaskArea, TaskView } from './task-area.ts';
import { toStoredTask, toTaskFields } from './task-view.ts';

/** The tasks of one area and their runs. All that take an id throw TASK_NOT_FOUND. */
export type Tasks<Given, Definition, Own> = {
  list(query: TasksQuery): Promise<Page<TaskView<Own>>>;
  create(task: Given, by: string): Promise<TaskView<Own>>;
  get(id: string): Promise<TaskView<Own>>;
  /** Throws TASK_RUNNING. */
  update(id: string, changes: Partial<Given>, by: string): Promise<TaskView<Own>>;
  /** Deletes the task and its runs; their results stay. Throws TASK_RUNNING. */
  remove(id: string): Promise<void>;
  /**
   * Queues a run. Throws TASK_RUNNING; with `resume` NOTHING_TO_RESUME or TASK_CHANGED; with `failedOf` FAILED_OF_REFUSED.
   */
  execute(id: string, execution: Execution, by: string): Promise<Run>;
  /** Throws TASK_NOT_RUNNING. */
  stop(id: string): Promise<Run>;
  listRuns(id: string, query: RunsQuery): Promise<Page<Run>>;
  /** Throws RUN_NOT_FOUND, like all functions that take a run. */
  getRun(id: string, runId: string): Promise<Run>;
  listLogs(id: string, runId: string, page: PageRequest): Promise<Page<LogLine>>;
  /** Events of a run after a received one; undefined if that was its end. Throws INVALID_PARAMETER. */
  follow(id: string, runId: string, lastEventId: string | undefined): Promise<EventFeed | undefined>;
  /** The task as it is stored. */
  find(id: string): Promise<StoredTask<Definition>>;
  /** The task, locked until this transaction ends; for the drivers of its runs. */
  lock(tx: Tx, id: string): Promise<StoredTask<Definition> | undefined>;
  /** Changes the definition of a locked task. */
  redefine(tx: Tx, id: string, definition: Definition): Promise<void>;
  /** Executes a due task, unless another process has. */
  fire(id: string): Promise<void>;
};

export type TaskServices = { db: Database; clock: Clock; logger: ScheduleLogger; runs: Runs; events: RunEvents };

/** Longer than reading a task and its run takes, and than the clocks of processes with a shared database differ. */
const recentMs = 10_000;

const orderColumns: Readonly<Record<(typeof taskSortFields)[number], TaskOrder['column']>> = {
  name: 'name_key',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};

/** Lists, rules and runs of the tasks of an area. */
export function createTasks<Given extends NewTaskFields, Definition, Own>(
  { db, clock, logger, runs, events }: TaskServices,
  area: TaskArea<Given, Definition, Own>,
): Tasks<Given, Definition, Own> {
  async function getRow(id: string): Promise<TasksTable> {
    const row = await findTask(db.read, area.area, id);
    if (row === undefined) throw taskErrors.TASK_NOT_FOUND({ id });
    return row;
  }

  async function viewsOf(rows: readonly TasksTable[]): Promise<TaskView<Own>[]> {
    const lastRuns = rows.flatMap(({ last_run_id: id }) => (id === null ? [] : [id]));
    const found = await runs.findRuns(db.read, lastRuns);
    const current = await afterTheirRuns(rows, found);
    const own = await area.show(
      current.map((row) => toStoredTask<Definition>(row).definition),
      current.map(({ id }) => id),
    );
    return current.map((row, index) => {
      const ownFields = own[index];
      if (ownFields === undefined) throw new Error(`${area.area} shows fewer tasks than there are`);
      return { ...toTaskFields(row, row.last_run_id === null ? undefined : found.get(row.last_run_id)), ...ownFields };
    });
  }

  /** Reads a task and then its run; if the run ended in between, the task may have changed and is read again. */
  async function afterTheirRuns(
    rows: readonly TasksTable[],
    found: ReadonlyMap<string, Run>,
  ): Promise<readonly TasksTable[]> {
    const since = new Date(clock.now().getTime() - recentMs).toISOString();
    const ids = rows.flatMap(({ id, last_run_id }) => {
      const finishedAt = found.get(last_run_id ?? '')?.finishedAt ?? null;
      return finishedAt !== null && finishedAt > since ? [id] : [];
    });
    if (ids.length === 0) return rows;
    const again = new Map((await findTasks(db.read, ids)).map((row) => [row.id, row]));
    return rows.map((row) => {
      const newer = again.get(row.id);
      return newer?.last_run_id === row.last_run_id ? newer : row;
    });
  }

  async function get(id: string): Promise<TaskView<Own>> {
    const [view] = await viewsOf([await getRow(id)]);
    if (view === undefined) throw taskErrors.TASK_NOT_FOUND({ id });
    return view;
  }

  /** The row of a task without an unfinished run, and its latest run. */
  async function lockIdle(tx: Tx, id: string): Promise<{ row: TasksTable; last: Run | undefined }> {
    const row = await lockTask(tx, area.area, id);
    if (row === undefined) throw taskErrors.TASK_NOT_FOUND({ id });
    const last = row.last_run_id === null ? undefined : await runs.findRun(tx, area.area, id, row.last_run_id);
    if (last !== undefined && isUnfinished(last)) throw taskErrors.TASK_RUNNING({ id });
    return { row, last };
  }

  function scheduleColumns(
    schedule: NewSchedule | null | undefined,
    by: string,
  ): Pick<TasksTable, 'schedule_cron' | 'schedule_timezone' | 'schedule_by' | 'next_run_at' | 'schedule_note'> {
    const parsed: ParsedSchedule | undefined =
      schedule === undefined || schedule === null ? undefined : parseSchedule(schedule);
    return {
      schedule_cron: parsed?.cron ?? null,
      schedule_timezone: parsed?.timezone ?? null,
      schedule_by: parsed === undefined ? null : by,
      next_run_at: parsed?.nextAfter(clock.now()) ?? null,
      schedule_note: null,
    };
  }

  /** The latest completed run, some samples of which failed: the target holds its result, and none of these samples. */
  async function getFailed(tx: Tx, taskId: string, id: string): Promise<RunOrigin['failedOf']> {
    const run = await runs.findRun(tx, area.area, taskId, id);
    const latest = await runs.findLatestCompleted(tx, area.area, taskId);
    const refuse = (cause: string): AppError => taskErrors.FAILED_OF_REFUSED({ id, cause });
    if (run === undefined) throw refuse('it is not a run of this task');
    if (run.status !== 'COMPLETED') throw refuse(`it is ${run.status}, not COMPLETED`);
    if (latest !== undefined && latest.id !== run.id) {
      throw refuse(`run ${latest.number} completed after it, and the target holds the result of that run`);
    }
    if (run.counts.failed === 0) throw refuse('none of its samples failed');
    return { run, datasets: await runs.listDatasets(tx, id) };
  }

  async function enqueue(tx: Tx, id: string, execution: Execution, by: string): Promise<Run> {
    const { row, last } = await lockIdle(tx, id);
    const task = toStoredTask<Definition>(row);
    const wasCut = last !== undefined && (last.status === 'FAILED' || last.status === 'STOPPED');
    const resumed = execution.resume === true ? last : undefined;
    if (execution.resume === true && !wasCut) throw taskErrors.NOTHING_TO_RESUME({ id });
    const failedOf = execution.failedOf === undefined ? undefined : await getFailed(tx, id, execution.failedOf);
    const { definition, ...plan } = await area.plan(tx, task, execution, { resumed, failedOf });
    if (definition !== undefined) await updateTask(tx, id, { definition: JSON.stringify(definition) });
    const run = { ...plan, area: area.area, taskId: id, by };
    let queued: Run;
    if (resumed === undefined) {
      if (last !== undefined && wasCut) await runs.releaseWork(tx, last);
      queued = await runs.enqueue(tx, failedOf === undefined ? run : { ...run, failedOf: failedOf.run.id });
    } else {
      const isSame = area.isSameWork ?? isDeepStrictEqual;
      if (!isSame(resumed.details, plan.details)) throw taskErrors.TASK_CHANGED({ id });
      queued = await runs.resume(tx, run, resumed.id);
    }
    await updateTask(tx, id, { last_run_id: queued.id });
    return queued;
  }

  async function getRun(id: string, runId: string): Promise<Run> {
    await getRow(id);
    const run = await runs.findRun(db.read, area.area, id, runId);
    if (run === undefined) throw taskErrors.RUN_NOT_FOUND({ id: runId });
    return run;
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
      const order = parseSort(orderColumns, query.sort, { column: 'created_at', direction: 'desc' });
      const rows = await listTasks(db.scan, filter, order, { limit: query.size, offset });
      return toPage(await viewsOf(rows), query, total);
    },

    async create(given, by) {
      const id = newId();
      const now = isoNow(clock);
      const words = wordsOf(given);
      const prepared = (await area.prepare?.(given, undefined)) ?? given;
      const schedule = scheduleColumns(prepared.schedule, by);
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
      const changes = (await area.prepare?.(given, toStoredTask<Definition>(before))) ?? given;
      const schedule = changes.schedule === undefined ? {} : scheduleColumns(changes.schedule, by);
      await db.write(async (tx) => {
        const { row } = await lockIdle(tx, id);
        const task = toStoredTask<Definition>(row);
        const texts = { name: given.name ?? row.name, description: given.description ?? row.description };
        const definition = await area.define(tx, { ...area.change(task, changes), ...texts }, task.definition, id);
        const stamps = { updated_at: isoNow(clock), updated_by: by };
        await updateTask(tx, id, {
          ...wordsOf(texts),
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
        await lockIdle(tx, id);
        await runs.deleteRuns(tx, area.area, id);
        await area.remove?.(tx, id);
        await deleteTask(tx, id);
      });
    },

    async execute(id, execution, by) {
      const { failedOf, resume } = execution;
      if (failedOf !== undefined && area.takesFailedOf !== true)
        throw invalid('failedOf', parameterProblems.IS_NOT_AVAILABLE({}));
      if (failedOf !== undefined && resume === true)
        throw invalid('failedOf', parameterProblems.MUST_NOT_BE_WITH({ other: 'resume' }));
      const run = await refusingDuplicates(
        () => db.write((tx) => enqueue(tx, id, execution, by)),
        (options) => taskErrors.TASK_RUNNING({ id }, options),
      );
      runs.wake();
      return run;
    },

    async stop(id) {
      const { last_run_id: runId } = await getRow(id);
      if (runId === null || !(await runs.stopRun(runId))) throw taskErrors.TASK_NOT_RUNNING({ id });
      return getRun(id, runId);
    },

    async listRuns(id, query) {
      await getRow(id);
      const direction = parseDirection(query.sort);
      const found = await runs.listRuns({ area: area.area, taskId: id }, query, direction);
      return toPage(found.runs, query, found.total);
    },

    getRun,

    async listLogs(id, runId, page) {
      await getRun(id, runId);
      const { lines, total } = await runs.listLogs(runId, page);
      return toPage(lines, page, total);
    },

    async follow(id, runId, lastEventId) {
      if (lastEventId !== undefined && !new RegExp(runEventIdPattern).test(lastEventId)) {
        throw invalid('lastEventId', parameterProblems.IS_NO_EVENT({}));
      }
      const run = await getRun(id, runId);
      return events.follow(run, lastEventId === undefined ? undefined : parseRunEventId(lastEventId));
    },

    find: async (id) => toStoredTask<Definition>(await getRow(id)),

    async lock(tx, id) {
      const row = await lockTask(tx, area.area, id);
      return row === undefined ? undefined : toStoredTask<Definition>(row);
    },

    async redefine(tx, id, definition) {
      await updateTask(tx, id, { definition: JSON.stringify(definition), updated_at: isoNow(clock) });
    },

    fire: (id) => fireSchedule({ db, clock, runs, logger }, { area: area.area, enqueue }, id),
  };
}

type Texts = Pick<NewTaskFields, 'name' | 'description'>;

function wordsOf(given: Texts): Pick<TasksTable, 'name' | 'name_key' | 'description' | 'search_text'> {
  const name = parseName('name', given.name, 100);
  const description = parseText('description', given.description ?? '', 500);
  // U+FFFF is not a character: no keyword matches across name and description.
  const text = searchTextOf(`${name}\uFFFF${description}`);
  return { name, name_key: searchTextOf(name), description, search_text: text };
}
