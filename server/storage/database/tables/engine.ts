/** A part of a run's input that one worker processes; its row is the checkpoint. */
export type ShardsTable = {
  run_id: string;
  shard_no: number;
  status: 'PENDING' | 'DONE';
  /** JSON: files, or a byte range of one. */
  pieces: string;
  /** For a big file, which is split into several shards: index of this one (from 0), and their number. */
  file_part: number;
  file_parts: number;
  /** The dataset of its files, in a run that reads several. */
  source_dataset_id: string | null;
  /** 1 once the outputs of a big file's shards are joined in its first shard. */
  joined: number;
  bytes: number;
  /** JSON: pending outputs; each blob in it holds one reference. Null before the shard is done and after the dataset took them over. */
  outputs: string | null;
  /** Number of the first row within its file, for a file with several shards. */
  first_row: number;
  /** Number of the first line within its file, if known. */
  first_line: number | null;
  /** JSON: samples per piece, verdicts by step, metrics of the steps. */
  figures: string | null;
  ledger_blob_id: string | null;
  ledger_lines: number;
  /** JSON: blobs of failed samples, each with one reference. */
  set_aside: string | null;
  count_in: number;
  count_kept: number;
  count_changed: number;
  count_dropped: number;
  count_failed: number;
  count_emitted: number;
};

/**
 * The numbers that a set step recorded per sample of a shard: the checkpoint of its first pass, deleted once the run is
 * completed.
 */
export type ShardSignaturesTable = {
  run_id: string;
  /** Index of the step. */
  step: number;
  shard_no: number;
  blob_id: string;
  /** Samples of the shard, including those that never reached the step. */
  samples: number;
  /** JSON: samples that crashed a worker; later passes skip them. */
  poison: string;
};

/** The decisions of a set step after it has seen all shards; deleted once the run is completed. */
export type SetVerdictsTable = {
  run_id: string;
  step: number;
  blob_id: string;
};

/**
 * A file that a comparison in partitions wrote: its row is its checkpoint, and is deleted with the verdicts of the step.
 */
export type SetPartsTable = {
  run_id: string;
  step: number;
  /** COLLATE, MERGE-1, …, MATCH, JOIN-1, … */
  stage: string;
  part_no: number;
  blob_id: string;
  /** JSON: locations of its sections, counts, and the plan of the comparison. */
  facts: string;
};

/**
 * A part of a dataset that a step compares with: its row is the checkpoint of what the operator recorded about its samples;
 * deleted once the run is completed.
 */
export type ReferenceShardsTable = {
  run_id: string;
  /** Numbered over all steps of the run. */
  shard_no: number;
  /** Index of the step, and index of the dataset among those that the step names. */
  step: number;
  reference: number;
  /** JSON: files, or a range of one. */
  pieces: string;
  /** 0 for the first part of a file, and for files that share a shard. */
  file_part: number;
  bytes: number;
  /** Null until the shard is read. */
  blob_id: string | null;
  samples: number;
  rows: number;
  /** Line ends. */
  lines: number;
  /** Samples that cannot be read, and files that are not for the operator. */
  unread: number;
  skipped: number;
};

/** A compressed file of a run's input: its content as a blob, deleted once the run is completed. */
export type UnpackedFilesTable = {
  run_id: string;
  file_id: string;
  /** Null if none of it can be read. */
  blob_id: string | null;
  size_bytes: number;
  /** Why the content is missing or incomplete. */
  problem: string | null;
  problem_sentence: string | null;
  /** 1 if the file's bytes are not those that were stored. */
  is_damaged: number;
};

/** A file of a result in the requested format; deleted once the run is completed. */
export type ExportedFilesTable = {
  run_id: string;
  file_no: number;
  path: string;
  blob_id: string;
  size_bytes: number;
};

/** The origin of a completed run's result. Outlives the task and its runs. */
export type LineageTable = {
  run_id: string;
  area: string;
  task_id: string;
  source_dataset_id: string;
  source_version: number;
  target_dataset_id: string;
  target_version: number;
  /** JSON: steps with the versions of their operators and complete parameters, and the policy for failed samples. */
  recipe: string;
  /** JSON of the area: the part of the source that was read. */
  details: string;
  /** JSON. */
  counts: string;
  /** JSON: what each step did. */
  steps: string;
  created_by: string;
  started_at: string;
  finished_at: string;
};

/** The datasets that a run read besides its first source. */
export type LineageSourcesTable = { run_id: string; dataset_id: string; version: number };

/** Results of a run that measures all samples of a dataset; deleted with the run. */
export type ProfilesTable = {
  run_id: string;
  /** JSON: figures of all samples, and how many each deduplication would drop. */
  figures: string;
};
