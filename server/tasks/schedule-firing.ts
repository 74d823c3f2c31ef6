import { reasonOf } from '../kernel/reasoned-error.ts';
import { reasonColumns, runSentences, type Reason } from '../kernel/sentences/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import { isUnfinished, type Run, type Runs } from '../runs/index.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import type { TasksTable } from '../storage/database/tables/tasks.ts';
import { lockTask, updateTask } from './queries/tasks.ts';
import { parseSchedule } from './schedule.ts';
import type { Execution, NewSchedule } from './schemas.ts';

/** Receives failures of schedules; any pino logger fits. */
export type ScheduleLogger = { warn(details: object, message: string): void };

/** The parts of an area's tasks needed to fire schedules. */
export type Firing = {
  area: string;
  enqueue(tx: Tx, id: string, execution: Execution, by: string): Promise<Run>;
};

/**
 * Executes a due task once, however many times were missed and however many processes try. If a run is still in
 * progress, the time is skipped, which is noted in the run's log and in the task.
 */
export async function fireSchedule(
  { db, clock, runs, logger }: { db: Database; clock: Clock; runs: Runs; logger: ScheduleLogger },
  { area, enqueue }: Firing,
  id: string,
): Promise<void> {
  const now = clock.now();
  /** Advances the schedule to its next time and returns the task; undefined if not due or another process was first. */
  async function advance(tx: Tx): Promise<{ row: TasksTable; due: string; by: string } | undefined> {
    const row = await lockTask(tx, area, id);
    if (row === undefined || row.schedule_cron === null || row.next_run_at === null) return undefined;
    const due = row.next_run_at;
    if (due > now.toISOString()) return undefined;
    const next = nextTime({ cron: row.schedule_cron, timezone: row.schedule_timezone ?? 'UTC' }, now);
    if (next instanceof AppError) {
      // A broken schedule must not hold up those of other tasks: it ends, and its note gives the reason.
      await updateTask(tx, id, { next_run_at: null });
      await pass(tx, due, reasonOf(next));
      return undefined;
    }
    await updateTask(tx, id, { next_run_at: next, schedule_note: null, schedule_note_sentence: null });
    return { row, due, by: row.schedule_by ?? row.updated_by };
  }

  async function pass(tx: Tx, due: string, why: Reason): Promise<void> {
    const note = runSentences.SCHEDULE_LEFT_OUT.reason({ time: due, why });
    await updateTask(tx, id, reasonColumns('schedule_note', note));
    logger.warn({ area, taskId: id, due }, `a scheduled run was left out: ${why.text}`);
  }

  try {
    await db.write(async (tx) => {
      const fired = await advance(tx);
      if (fired === undefined) return;
      const { row, due, by } = fired;
      const last = row.last_run_id === null ? undefined : await runs.findRun(tx, area, id, row.last_run_id);
      if (last !== undefined && isUnfinished(last)) {
        await pass(tx, due, runSentences.STILL_GOING_ON.reason({}));
        await runs.log(tx, last.id, 'WARN', runSentences.SCHEDULE_CAME_MEANWHILE.reason({ time: due }));
        return;
      }
      const run = await enqueue(tx, id, {}, by);
      await runs.log(tx, run.id, 'INFO', runSentences.EXECUTED_BY_SCHEDULE.reason({ time: due }));
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The task cannot be executed now (for example, its source was deleted); the next time may succeed.
    await db.write(async (tx) => {
      const fired = await advance(tx);
      if (fired !== undefined) await pass(tx, fired.due, reasonOf(error));
    });
    return;
  }
  runs.wake();
}

/** The next time of a stored schedule; an error if it was once accepted but is invalid by today's rules. */
function nextTime(schedule: NewSchedule, now: Date): string | null | AppError {
  try {
    return parseSchedule(schedule).nextAfter(now);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
