import { runSentences as said, type Reason } from '../kernel/sentences/index.ts';
import { isDeepStrictEqual } from 'node:util';
import { invalid, type AppError } from '../kernel/errors.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';
import { isUnfinished, type Run, type Runs } from '../runs/index.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import { refusingDuplicates } from '../storage/database/sql.ts';
import type { TasksTable } from '../storage/database/tables/tasks.ts';
import { taskErrors } from './errors.ts';
import { lockTask, updateTask } from './queries/tasks.ts';
import type { Execution, NewTaskFields } from './schemas.ts';
import type { RunOrigin, TaskArea } from './task-area.ts';
import { toStoredTask } from './task-view.ts';

/** Starts the runs of an area's tasks. */
export type Executions = {
  /** Locks a task without an unfinished run; returns its row and latest run. Throws TASK_NOT_FOUND, TASK_RUNNING. */
  lockIdle(tx: Tx, id: string): Promise<{ row: TasksTable; last: Run | undefined }>;
  /** Queues a run in the caller's transaction; wake the runs after the commit. */
  enqueue(tx: Tx, id: string, execution: Execution, by: string): Promise<Run>;
  execute(id: string, execution: Execution, by: string): Promise<Run>;
};

export function createExecutions<Given extends NewTaskFields, Definition, Own>(
  { db, runs }: { db: Database; runs: Runs },
  area: TaskArea<Given, Definition, Own>,
): Executions {
  async function lockIdle(tx: Tx, id: string): Promise<{ row: TasksTable; last: Run | undefined }> {
    const row = await lockTask(tx, area.area, id);
    if (row === undefined) throw taskErrors.TASK_NOT_FOUND({ id });
    const last = row.last_run_id === null ? undefined : await runs.findRun(tx, area.area, id, row.last_run_id);
    if (last !== undefined && isUnfinished(last)) throw taskErrors.TASK_RUNNING({ id });
    return { row, last };
  }

  /**
   * Finds the run whose failed samples to process. It must be the latest completed run, so that the target holds its
   * result without these samples. Throws FAILED_OF_REFUSED.
   */
  async function getFailed(tx: Tx, taskId: string, id: string): Promise<RunOrigin['failedOf']> {
    const run = await runs.findRun(tx, area.area, taskId, id);
    const latest = await runs.findLatestCompleted(tx, area.area, taskId);
    const refuse = (cause: Reason): AppError => taskErrors.FAILED_OF_REFUSED({ id, cause });
    if (run === undefined) throw refuse(said.FORMER_NOT_OF_TASK.reason({}));
    if (run.status !== 'COMPLETED') throw refuse(said.FORMER_NOT_COMPLETED.reason({ status: run.status }));
    if (latest !== undefined && latest.id !== run.id) {
      throw refuse(said.FORMER_SUPERSEDED.reason({ number: latest.number }));
    }
    if (run.counts.failed === 0) throw refuse(said.FORMER_NOTHING_FAILED.reason({}));
    return { run, datasets: await runs.listDatasets(tx, id) };
  }

  async function enqueue(tx: Tx, id: string, execution: Execution, by: string): Promise<Run> {
    const { row, last } = await lockIdle(tx, id);
    const task = toStoredTask(row, area);
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

  return {
    lockIdle,
    enqueue,

    async execute(id, execution, by) {
      const { failedOf, resume } = execution;
      if (failedOf !== undefined && area.takesFailedOf !== true)
        throw invalid('failedOf', parameterProblems.IS_NOT_AVAILABLE.reason({}));
      if (failedOf !== undefined && resume === true)
        throw invalid('failedOf', parameterProblems.MUST_NOT_BE_WITH.reason({ other: 'resume' }));
      const run = await refusingDuplicates(
        () => db.write((tx) => enqueue(tx, id, execution, by)),
        (options) => taskErrors.TASK_RUNNING({ id }, options),
      );
      runs.wake();
      return run;
    },
  };
}
