/** One execution of a task of any area. */
export type RunsTable = {
  id: string;
  /** URL prefix of the area that the task is of. */
  area: string;
  /** Which of the registered kinds of runs it is: who drives it. */
  kind: string;
  task_id: string;
  /** 1, 2, … within its task. */
  number: number;
  status: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'STOPPED';
  /** Current phase, a word of the kind. */
  phase: string | null;
  /** JSON of the kind: everything that it needs to know. */
  details: string;
  created_at: string;
  created_by: string;
  started_at: string | null;
  finished_at: string | null;
  /** Why it FAILED, or was STOPPED other than by a person. */
  error: string | null;
  /** Run whose finished work it took over. */
  resumed_from: string | null;
  /** Fencing token: goes up when a process takes the run over; who holds an older one can't write any more. */
  epoch: number;
  /** Data folder of the process that drives it, and until when (ms since 1970 by the clock of the database). */
  lease_place: string | null;
  lease_until: number | null;
  /** Data folder without which it can't be driven, where its bytes are in one. */
  bound_to: string | null;
  /** 1 once the kind knows how much there is to do. */
  planned: number;
  /** What there is to do and what is done, in units of the kind, for the progress. */
  work_total: number;
  work_done: number;
  count_in: number;
  count_kept: number;
  count_changed: number;
  count_dropped: number;
  count_failed: number;
  count_emitted: number;
  count_skipped: number;
  /** JSON: why inputs failed, reason → count. */
  failures: string;
};

/** Datasets that a run reads or writes; a version for what it reads, and for what it wrote once it has. */
export type RunDatasetsTable = {
  run_id: string;
  dataset_id: string;
  role: 'SOURCE' | 'TARGET';
  version: number | null;
};

export type RunLogsTable = {
  run_id: string;
  seq: number;
  time: string;
  level: 'INFO' | 'WARN' | 'ERROR';
  message: string;
};
