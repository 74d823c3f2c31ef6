import { invalid } from '../kernel/errors.ts';
import type { EventFeed } from '../kernel/event-feed.ts';
import { parseDirection, toPage, type Page, type PageRequest } from '../kernel/page.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';
import {
  parseRunEventId,
  runEventIdPattern,
  type LogLine,
  type Run,
  type RunEvents,
  type Runs,
} from '../runs/index.ts';
import type { Database } from '../storage/database/database.ts';
import type { TasksTable } from '../storage/database/tables/tasks.ts';
import { taskErrors } from './errors.ts';
import type { RunsQuery } from './schemas.ts';

/** The runs of a task. All methods throw TASK_NOT_FOUND; those that take a run RUN_NOT_FOUND. */
export type TaskRuns = {
  /** Throws TASK_NOT_RUNNING. */
  stop(id: string): Promise<Run>;
  listRuns(id: string, query: RunsQuery): Promise<Page<Run>>;
  getRun(id: string, runId: string): Promise<Run>;
  listLogs(id: string, runId: string, page: PageRequest): Promise<Page<LogLine>>;
  /** Events of a run after the last one received; undefined if that was the end. Throws INVALID_PARAMETER. */
  follow(id: string, runId: string, lastEventId: string | undefined): Promise<EventFeed | undefined>;
};

export function createTaskRuns({
  db,
  area,
  runs,
  events,
  getRow,
}: {
  db: Pick<Database, 'read'>;
  area: string;
  runs: Runs;
  events: RunEvents;
  /** Throws TASK_NOT_FOUND. */
  getRow(id: string): Promise<TasksTable>;
}): TaskRuns {
  async function getRun(id: string, runId: string): Promise<Run> {
    await getRow(id);
    const run = await runs.findRun(db.read, area, id, runId);
    if (run === undefined) throw taskErrors.RUN_NOT_FOUND({ id: runId });
    return run;
  }

  return {
    async stop(id) {
      const { last_run_id: runId } = await getRow(id);
      if (runId === null || !(await runs.stopRun(runId))) throw taskErrors.TASK_NOT_RUNNING({ id });
      return getRun(id, runId);
    },

    async listRuns(id, query) {
      await getRow(id);
      const direction = parseDirection(query.sort);
      const found = await runs.listRuns({ area, taskId: id }, query, direction);
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
        throw invalid('lastEventId', parameterProblems.IS_NO_EVENT.reason({}));
      }
      const run = await getRun(id, runId);
      return events.follow(run, lastEventId === undefined ? undefined : parseRunEventId(lastEventId));
    },
  };
}
