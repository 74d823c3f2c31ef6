import type { Run } from '../../runs/index.ts';
import type { TaskRow } from './queries.ts';
import type { Task, TaskStatus } from './schemas.ts';

const noCounts: Task['counts'] = { in: 0, kept: 0, changed: 0, dropped: 0, failed: 0, emitted: 0 };

/** A task as the API shows it: its definition, and the state of its latest run. */
export function toTask(row: TaskRow, run: Run | undefined): Task {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    sourceDatasetId: row.source_dataset_id,
    sourceDatasetName: row.source_name ?? row.source_dataset_name,
    sourceVersion: row.source_version,
    targetDatasetId: row.target_dataset_id,
    targetDatasetName: row.target_name ?? row.target_dataset_name,
    steps: JSON.parse(row.steps) as Task['steps'],
    input: JSON.parse(row.input) as Task['input'],
    onError: row.on_error,
    status: statusOf(run),
    progress: run?.progress ?? 0,
    counts: run?.counts ?? noCounts,
    startedAt: run?.startedAt ?? null,
    finishedAt: run?.finishedAt ?? null,
    error: run?.error ?? null,
    lastRunId: row.last_run_id,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}

function statusOf(run: Run | undefined): TaskStatus {
  if (run === undefined) return 'PENDING';
  return run.status === 'QUEUED' ? 'RUNNING' : run.status;
}
