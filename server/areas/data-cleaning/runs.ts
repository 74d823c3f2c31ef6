import type { EventFeed } from '../../kernel/event-feed.ts';
import { invalid } from '../../kernel/errors.ts';
import { toPage, type Page, type PageRequest } from '../../kernel/page.ts';
import { recipeRunOf, type Engine, type Step } from '../../engine/index.ts';
import {
  parseRunEventId,
  runEventIdPattern,
  type LogLine,
  type NewRun,
  type Run,
  type RunEvents,
  type Runs as AllRuns,
} from '../../runs/index.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import { isUniqueViolation } from '../../storage/database/sql.ts';
import type { CleaningTasksTable } from '../../storage/database/tables/data-cleaning.ts';
import type { FileCommits } from '../data-management/index.ts';
import { cleaningErrors } from './errors.ts';
import type { CleaningDetails } from './jobs.ts';
import { findTask, lockDataset, updateTask } from './queries.ts';
import type { Execution, RunsQuery, TaskInput } from './schemas.ts';
import { lockIdle } from './tasks.ts';

export type Runs = {
  /** Puts a run into the queue. Throws TASK_RUNNING, and with `resume` NOTHING_TO_RESUME or TASK_CHANGED. */
  execute(taskId: string, execution: Execution, by: string): Promise<Run>;
  /** Throws TASK_NOT_RUNNING. */
  stop(taskId: string): Promise<Run>;
  list(taskId: string, query: RunsQuery): Promise<Page<Run>>;
  /** Throws TASK_NOT_FOUND, RUN_NOT_FOUND. */
  get(taskId: string, runId: string): Promise<Run>;
  logs(taskId: string, runId: string, page: PageRequest): Promise<Page<LogLine>>;
  /** What happens to a run behind an event that was heard; undefined when that was its end. Throws INVALID_PARAMETER. */
  follow(taskId: string, runId: string, lastEventId: string | undefined): Promise<EventFeed | undefined>;
};

const area = 'data-cleaning';

export function createRuns({
  db,
  engine,
  runs,
  commits,
  events,
}: {
  db: Database;
  engine: Pick<Engine, 'detailsOf'>;
  runs: AllRuns;
  commits: Pick<FileCommits, 'closeVersion'>;
  events: RunEvents;
}): Runs {
  async function checkTask(id: string): Promise<{ last_run_id: string | null }> {
    const task = await findTask(db.read, id);
    if (task === undefined) throw cleaningErrors.TASK_NOT_FOUND({ id });
    return task;
  }

  async function get(taskId: string, runId: string): Promise<Run> {
    await checkTask(taskId);
    const run = await runs.findRun(db.read, area, taskId, runId);
    if (run === undefined) throw cleaningErrors.RUN_NOT_FOUND({ id: runId });
    return run;
  }

  async function enqueue(tx: Tx, taskId: string, resume: boolean, by: string): Promise<Run> {
    const task = await lockIdle(tx, runs, taskId);
    const last = task.last_run_id === null ? undefined : await runs.findRun(tx, area, taskId, task.last_run_id);
    const wasCut = last !== undefined && (last.status === 'FAILED' || last.status === 'STOPPED');
    if (resume && !wasCut) throw cleaningErrors.NOTHING_TO_RESUME({ id: taskId });
    const target = await targetOf(tx, task);
    const run = await newRun(engine, tx, task, target, resume && last !== undefined ? detailsOf(last) : undefined, by);
    // Its shards are planned and read one after the other, perhaps for days: all of them are to see the same files.
    for (const { datasetId, role, version } of run.datasets)
      if (role === 'SOURCE' && version !== null) await commits.closeVersion(tx, datasetId, version);
    if (resume && last !== undefined) {
      if (!isSameWork(last, run)) throw cleaningErrors.TASK_CHANGED({ id: taskId });
      return runs.resume(tx, run, last.id);
    }
    if (wasCut) await runs.releaseWork(tx, last);
    return runs.enqueue(tx, run);
  }

  return {
    async execute(taskId, { resume = false }, by) {
      let run: Run;
      try {
        run = await db.write(async (tx) => {
          const queued = await enqueue(tx, taskId, resume, by);
          await updateTask(tx, taskId, { last_run_id: queued.id });
          return queued;
        });
      } catch (error) {
        if (isUniqueViolation(error)) throw cleaningErrors.TASK_RUNNING({ id: taskId }, { cause: error });
        throw error;
      }
      runs.wake();
      return run;
    },

    async stop(taskId) {
      const { last_run_id: runId } = await checkTask(taskId);
      if (runId === null || !(await runs.stopRun(runId))) throw cleaningErrors.TASK_NOT_RUNNING({ id: taskId });
      return get(taskId, runId);
    },

    async list(taskId, query) {
      await checkTask(taskId);
      const direction = query.sort === 'createdAt,asc' ? 'asc' : 'desc';
      const found = await runs.listRuns({ area, taskId }, query, direction);
      return toPage(found.runs, query, found.total);
    },

    get,

    async logs(taskId, runId, page) {
      await get(taskId, runId);
      const { lines, total } = await runs.listLogs(runId, page);
      return toPage(lines, page, total);
    },

    async follow(taskId, runId, lastEventId) {
      if (lastEventId !== undefined && !new RegExp(runEventIdPattern).test(lastEventId)) {
        throw invalid('lastEventId', 'is not the id of an event of a run');
      }
      const run = await get(taskId, runId);
      return events.follow(run, lastEventId === undefined ? undefined : parseRunEventId(lastEventId));
    },
  };
}

/** The dataset that the result goes into, null for one that is yet to be made. */
async function targetOf(tx: Tx, task: CleaningTasksTable): Promise<string | null> {
  if (task.target_dataset_id === null) return null;
  const target = await lockDataset(tx, task.target_dataset_id);
  if (target?.status === 'ARCHIVED') throw cleaningErrors.TARGET_ARCHIVED({ id: target.id });
  if (target !== undefined) return target.id;
  if (task.owns_target === 0) throw cleaningErrors.TARGET_NOT_FOUND({ id: task.target_dataset_id });
  // Somebody deleted what an earlier run made: this one makes it again.
  await updateTask(tx, task.id, { target_dataset_id: null });
  return null;
}

async function newRun(
  engine: Pick<Engine, 'detailsOf'>,
  tx: Tx,
  task: CleaningTasksTable,
  targetDatasetId: string | null,
  earlier: CleaningDetails | undefined,
  by: string,
): Promise<NewRun> {
  const source = await lockDataset(tx, task.source_dataset_id);
  if (source === undefined) throw cleaningErrors.SOURCE_NOT_FOUND({ id: task.source_dataset_id });
  const { prefix, fileTypes, textField } = JSON.parse(task.input) as TaskInput;
  const version = task.source_version ?? earlier?.sourceVersion ?? source.version;
  const details: CleaningDetails = {
    sourceDatasetId: source.id,
    sourceVersion: version,
    input: { prefix, fileTypes },
    taskName: task.name,
  };
  return {
    area,
    taskId: task.id,
    by,
    details: engine.detailsOf({ steps: JSON.parse(task.steps) as Step[], onError: task.on_error, textField }, details),
    datasets: [
      { datasetId: source.id, role: 'SOURCE', version },
      ...(targetDatasetId === null ? [] : [{ datasetId: targetDatasetId, role: 'TARGET' as const, version: null }]),
    ],
  };
}

function detailsOf(run: Run): CleaningDetails {
  return recipeRunOf(run).areaDetails as CleaningDetails;
}

/** Whether finished shards of the earlier run are what the new one would make. */
function isSameWork(earlier: Run, run: NewRun): boolean {
  const work = ({ details }: Pick<Run, 'details'>): string => {
    const { recipe, details: own } = details as { recipe: unknown; details: CleaningDetails };
    return JSON.stringify([recipe, { ...own, taskName: undefined }]);
  };
  return work(earlier) === work(run);
}
