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
  /** Number of the first line within its file, where it can be told. */
  first_line: number | null;
  /** JSON: samples of each piece, verdicts by step, figures of the steps. */
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

/** What a step over the whole set took down of a shard's samples: the checkpoint of its first pass, gone once the run is completed. */
export type ShardSignaturesTable = {
  run_id: string;
  /** Index of the step. */
  step: number;
  shard_no: number;
  blob_id: string;
  /** Samples of the shard, whether they got to the step or not. */
  samples: number;
  /** JSON: samples that took a worker down; later passes leave them alone. */
  poison: string;
};

/** What such a step decided when it had seen all shards; gone once the run is completed. */
export type SetVerdictsTable = {
  run_id: string;
  step: number;
  blob_id: string;
};

/** Where the result of a completed run came from. Outlives the task and its runs. */
export type LineageTable = {
  run_id: string;
  area: string;
  task_id: string;
  source_dataset_id: string;
  source_version: number;
  target_dataset_id: string;
  target_version: number;
  /** JSON: steps with the versions of their operators and complete parameters, and how failed samples were treated. */
  recipe: string;
  /** JSON of the area: what of the source was read. */
  details: string;
  /** JSON. */
  counts: string;
  /** JSON: what each step did. */
  steps: string;
  created_by: string;
  started_at: string;
  finished_at: string;
};
