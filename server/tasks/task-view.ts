import { coded } from '../kernel/sentences.ts';
import { noCounts, type Run } from '../runs/index.ts';
import type { TasksTable } from '../storage/database/tables/tasks.ts';
import type { TaskFields, TaskStatus } from './schemas.ts';
import type { StoredTask } from './task-area.ts';

export function toStoredTask<Definition>({ id, name, definition }: TasksTable): StoredTask<Definition> {
  return { id, name, definition: JSON.parse(definition) as Definition };
}

/** Common fields of all tasks: name, schedule, and the state of the latest run. */
export function toTaskFields(row: TasksTable, run: Run | undefined): TaskFields {
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
}: TasksTable): TaskFields['schedule'] {
  if (schedule_cron === null || schedule_timezone === null) return null;
  return {
    cron: schedule_cron,
    timezone: schedule_timezone,
    nextRunAt: next_run_at,
    ...coded('note', schedule_note),
  };
}

function statusOf(run: Run | undefined): TaskStatus {
  if (run === undefined) return 'PENDING';
  return run.status === 'QUEUED' ? 'RUNNING' : run.status;
}
