/** One execution of a task of any area. */
export type RunsTable = {
  id: string;
  /** URL prefix of the task's area. */
  area: string;
  /** The registered kind of run, which determines the code that executes it. */
  kind: string;
  task_id: string;
  /** Runs of one owner wait for one another, and owners take turns: a lower turn is claimed first. */
  owner: string;
  turn: number;
  /** 1, 2, … within its task. */
  number: number;
  status: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'STOPPED';
  /** Current phase, as named by the kind. */
  phase: string | null;
  /** Samples that this phase has processed. */
  phase_samples: number;
  /** What it waits for while it is RUNNING: shown as QUEUED. */
  waiting_for: string | null;
  waiting_for_sentence: string | null;
  /** JSON of the kind: everything that it needs to drive the run. */
  details: string;
  created_at: string;
  created_by: string;
  started_at: string | null;
  finished_at: string | null;
  /** Why it FAILED, or was STOPPED by anything but a person. */
  error: string | null;
  error_sentence: string | null;
  /** The run whose finished work it reused. */
  resumed_from: string | null;
  /** The run whose failed samples are its input. */
  failed_of: string | null;
  /** Fencing token: increases when a process takes the run over; the holder of an older token can no longer write. */
  epoch: number;
  /** Data folder of the process that executes it, and the end of the lease (Unix milliseconds by the database's clock). */
  lease_place: string | null;
  lease_until: number | null;
  /** How often its process has ended without releasing it since the run last made progress. */
  process_ends: number;
  /** The data folder that holds the bytes it needs, if any; only that folder's process can execute the run. */
  bound_to: string | null;
  /** 1 once the kind knows the amount of work. */
  planned: number;
  /** Total and finished work for the progress, in units of the kind. */
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
  /** JSON: reason → its code and values; null in rows of earlier releases. */
  failure_sentences: string | null;
};

/**
 * Datasets that a run reads, writes or compares with; the version is set for those that it reads, and for a target once
 * it is written.
 */
export type RunDatasetsTable = {
  run_id: string;
  dataset_id: string;
  role: 'SOURCE' | 'TARGET' | 'REFERENCE';
  version: number | null;
};

export type RunLogsTable = {
  run_id: string;
  seq: number;
  time: string;
  level: 'INFO' | 'WARN' | 'ERROR';
  message: string;
  message_sentence: string | null;
};

/** What a completed run made, and with what: it outlives the run and its task. */
export type RunTracesTable = {
  run_id: string;
  area: string;
  task_id: string;
  /** Number of the run within its task; 0 if unknown. */
  number: number;
  /** JSON of the kind: the name of the task, operators, models. */
  ingredients: string;
  /** JSON. */
  counts: string;
  created_by: string;
  started_at: string;
  finished_at: string;
};

/** The versions that a completed run read, compared with, and wrote. */
export type RunTraceDatasetsTable = {
  run_id: string;
  role: RunDatasetsTable['role'];
  dataset_id: string;
  version: number;
};

/** An operator or a model that the run of a trace used. */
export type RunTraceToolsTable = { kind: 'OPERATOR' | 'MODEL'; ref: string; run_id: string };
