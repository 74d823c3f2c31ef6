import type { Clock } from '../kernel/clock.ts';
import { codedReason, storedReason } from '../kernel/sentences/index.ts';
import { noCounts, type Run, type Runs } from '../runs/index.ts';
import type { Database } from '../storage/database/database.ts';
import type { TasksTable } from '../storage/database/tables/tasks.ts';
import { findTasks } from './queries/tasks.ts';
import type { NewTaskFields, TaskFields, TaskStatus } from './schemas.ts';
import type { StoredTask, TaskArea, TaskView } from './task-area.ts';

/** Longer than it takes to read a task and its run, plus the clock skew between processes that share a database. */
const recentMs = 10_000;

/** Shows the tasks of an area with the state of their latest runs. */
export function createTaskViews<Given extends NewTaskFields, Definition, Own>(
  { db, clock, runs }: { db: Database; clock: Clock; runs: Pick<Runs, 'findRuns'> },
  area: Pick<TaskArea<Given, Definition, Own>, 'area' | 'read' | 'show'>,
): (rows: readonly TasksTable[]) => Promise<TaskView<Own>[]> {
  async function viewsOf(rows: readonly TasksTable[]): Promise<TaskView<Own>[]> {
    const lastRuns = rows.flatMap(({ last_run_id: id }) => (id === null ? [] : [id]));
    const found = await runs.findRuns(db.read, lastRuns);
    const current = await afterTheirRuns(rows, found);
    const own = await area.show(
      current.map((row) => toStoredTask(row, area).definition),
      current.map(({ id }) => id),
    );
    return current.map((row, index) => {
      const ownFields = own[index];
      if (ownFields === undefined) throw new Error(`${area.area} shows fewer tasks than there are`);
      return { ...toTaskFields(row, row.last_run_id === null ? undefined : found.get(row.last_run_id)), ...ownFields };
    });
  }

  /** Rereads tasks whose run ended just before or during the reading, as the task may have changed with it. */
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

  return viewsOf;
}

export function toStoredTask<Definition>(
  { id, name, definition }: TasksTable,
  area: { read(stored: unknown): Definition },
): StoredTask<Definition> {
  return { id, name, definition: area.read(JSON.parse(definition)) };
}

/** Common fields of all tasks: name, schedule, and the state of the latest run. */
function toTaskFields(row: TasksTable, run: Run | undefined): TaskFields {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    schedule: scheduleOf(row),
    status: statusOf(run),
    progress: run?.progress ?? 0,
    counts: run?.counts ?? noCounts,
    startedAt: run?.startedAt ?? null,
    finishedAt: run?.finishedAt ?? null,
    error: run?.error ?? null,
    errorCode: run?.errorCode ?? null,
    errorParams: run?.errorParams ?? null,
    lastRunId: row.last_run_id,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}

function scheduleOf({
  schedule_cron,
  schedule_timezone,
  next_run_at,
  schedule_note,
  schedule_note_sentence,
}: TasksTable): TaskFields['schedule'] {
  if (schedule_cron === null || schedule_timezone === null) return null;
  return {
    cron: schedule_cron,
    timezone: schedule_timezone,
    nextRunAt: next_run_at,
    ...codedReason('note', storedReason('schedule_note', { schedule_note, schedule_note_sentence })),
  };
}

function statusOf(run: Run | undefined): TaskStatus {
  if (run === undefined) return 'PENDING';
  return run.status === 'QUEUED' ? 'RUNNING' : run.status;
}
