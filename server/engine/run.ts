import type { RunsTable } from '../storage/database/tables/engine.ts';
import type { Counts, Treatment } from './shards/shard.ts';

export type RunStatus = RunsTable['status'];

/** One execution of a task, as the API shows it, and what it works with. */
export type Run = {
  id: string;
  taskId: string;
  status: RunStatus;
  /** 0..100; 100 only when it is completed. */
  progress: number;
  counts: Counts;
  createdAt: string;
  createdBy: string;
  startedAt: string | null;
  finishedAt: string | null;
  error: string | null;
  resumedFrom: string | null;
  treatment: Treatment;
  /** What the area stored with it. */
  details: unknown;
};

export function runOf(row: RunsTable): Run {
  return {
    id: row.id,
    taskId: row.task_id,
    status: row.status,
    progress: progressOf(row),
    counts: countsOf(row),
    createdAt: row.created_at,
    createdBy: row.created_by,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    error: row.error,
    resumedFrom: row.resumed_from,
    treatment: JSON.parse(row.treatment) as Treatment,
    details: JSON.parse(row.details),
  };
}

export function countsOf(
  row: Pick<
    RunsTable,
    'count_in' | 'count_kept' | 'count_changed' | 'count_dropped' | 'count_failed' | 'count_emitted'
  >,
): Counts {
  return {
    in: row.count_in,
    kept: row.count_kept,
    changed: row.count_changed,
    dropped: row.count_dropped,
    failed: row.count_failed,
    emitted: row.count_emitted,
  };
}

/** By bytes of input, in tenths; the last percent is the commit of the result. */
function progressOf(row: RunsTable): number {
  if (row.status === 'COMPLETED') return 100;
  if (row.bytes_total === 0) return 0;
  return Math.floor((990 * row.bytes_done) / row.bytes_total) / 10;
}
