import { codedReason, runSentences, storedReason, type Coded, type Reason } from '../kernel/sentences/index.ts';
import type { RunsTable } from '../storage/database/tables/runs.ts';
import type { Counts } from '../kernel/counts.ts';
import { countsOf } from './count-columns.ts';
import { failureKindsOf, type Failure } from './failure-kinds.ts';

export type RunStatus = RunsTable['status'];

/** One execution of a task: the fields of the API and the data of its kind. */
export type Run = {
  id: string;
  area: string;
  taskId: string;
  /** 1, 2, … within its task. */
  number: number;
  /** QUEUED: it waits, also after it has begun. */
  status: RunStatus;
  /** Current phase, a word of the kind. */
  phase: string | null;
  /** Samples that this phase has processed; 0 in kinds that count none. */
  phaseSamples: number;
  /** 0..100; 100 only when it is completed. */
  progress: number;
  counts: Counts;
  /** Inputs that the task does not process; not counted. */
  skipped: number;
  /** Most frequent kinds first; their counts add up to `counts.failed`. */
  failures: Failure[];
  createdAt: string;
  createdBy: string;
  startedAt: string | null;
  finishedAt: string | null;
  resumedFrom: string | null;
  /** The run whose failed samples are its input; null: all of the task's input. */
  failedOf: string | null;
  /** Data of the kind. */
  details: unknown;
} & Coded<'error'> &
  Coded<'waitingFor'>;

export function toRun(row: RunsTable): Run {
  const isWaiting = row.status === 'RUNNING' && row.waiting_for !== null;
  return {
    id: row.id,
    area: row.area,
    taskId: row.task_id,
    number: row.number,
    status: isWaiting ? 'QUEUED' : row.status,
    ...codedReason('waitingFor', waitingReason(row)),
    phase: row.phase,
    phaseSamples: row.phase_samples,
    progress: progressOf(row),
    counts: countsOf(row),
    skipped: row.count_skipped,
    failures: failureKindsOf(row, row.count_failed),
    createdAt: row.created_at,
    createdBy: row.created_by,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    ...codedReason('error', storedReason('error', row)),
    resumedFrom: row.resumed_from,
    failedOf: row.failed_of,
    details: JSON.parse(row.details),
  };
}

/** What a run waits for; null if it does not wait. */
function waitingReason(row: RunsTable): Reason | null {
  if (row.status === 'QUEUED') return runSentences.WAITS_FOR_TURN.reason({});
  return row.status === 'RUNNING' ? storedReason('waiting_for', row) : null;
}

export function isUnfinished({ status }: { status: RunStatus }): boolean {
  return status === 'QUEUED' || status === 'RUNNING';
}

/** Percentage with one decimal; the last percent is the commit of the result. */
function progressOf(row: RunsTable): number {
  if (row.status === 'COMPLETED') return 100;
  if (row.work_total === 0) return 0;
  return Math.floor((990 * Math.min(row.work_done, row.work_total)) / row.work_total) / 10;
}
