/** One execution of a task. */
export type RunsTable = {
  id: string;
  /** URL prefix of the area that the task is of. */
  area: string;
  task_id: string;
  status: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'STOPPED';
  /** JSON: steps with pinned operator versions, and how failed samples are treated. */
  treatment: string;
  /** JSON of the area: what is read and where the result goes. */
  details: string;
  created_at: string;
  created_by: string;
  started_at: string | null;
  finished_at: string | null;
  /** Why it FAILED, or was STOPPED other than by a person. */
  error: string | null;
  /** Run whose finished shards it took over. */
  resumed_from: string | null;
  /** Fencing token: goes up when a process takes the run over; who holds an older one can't write any more. */
  epoch: number;
  /** 1 once every shard has its row. */
  planned: number;
  /** Bytes of input (at least one a file), for the progress. */
  bytes_total: number;
  bytes_done: number;
  count_in: number;
  count_kept: number;
  count_changed: number;
  count_dropped: number;
  count_failed: number;
  count_emitted: number;
};

/** Datasets that a run reads or writes; a version for what it reads, and for what it wrote once it has. */
export type RunDatasetsTable = {
  run_id: string;
  dataset_id: string;
  role: 'SOURCE' | 'TARGET';
  version: number | null;
};

/** A piece of a run's input that is worked on at once; its row is the checkpoint. */
export type ShardsTable = {
  run_id: string;
  shard_no: number;
  status: 'PENDING' | 'DONE';
  /** JSON: files, or a byte range of one. */
  pieces: string;
  /** A big file is several shards: number of this one within it from 0, and how many there are. */
  file_part: number;
  file_parts: number;
  /** 1 once the outputs of a big file's shards stand in its first one. */
  joined: number;
  bytes: number;
  /** JSON: what is to be written; each blob in it carries one reference. Null before, and once the dataset has it. */
  outputs: string | null;
  /** Number of the first row within its file, where a file has several shards. */
  first_row: number;
  /** JSON: samples of each piece, verdicts by step, figures of the steps. */
  figures: string | null;
  ledger_blob_id: string | null;
  ledger_lines: number;
  count_in: number;
  count_kept: number;
  count_changed: number;
  count_dropped: number;
  count_failed: number;
  count_emitted: number;
};

export type RunLogsTable = {
  run_id: string;
  seq: number;
  time: string;
  level: 'INFO' | 'WARN' | 'ERROR';
  message: string;
};
