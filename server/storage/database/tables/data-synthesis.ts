/** Every version of a template, including the latest. */
export type SynthesisTemplateVersionsTable = {
  template_id: string;
  version: number;
  definition: string;
  created_at: string;
  created_by: string;
};

/** The work of a run and of the runs that resumed it: its samples and records. */
export type SynthesisWorksTable = {
  work_id: string;
  task_id: string;
  /** The latest run of the work. */
  run_id: string;
  model_id: string;
  template_type: string;
  samples: number;
  /** 1 once all samples are stored. */
  is_read: 0 | 1;
  /** The run that has discarded the records with failed calls, to retry them. */
  retried_by: string | null;
  /** JSON: calls, tokens, cost and seconds, as estimated once the samples were known. */
  forecast: string | null;
  /** Milliseconds that the runs spent on generating records. */
  spent_ms: number;
  /** The version of the target that contains the records; null until they are written. */
  exported_version: number | null;
  created_at: string;
};

export type SynthesisSamplesTable = {
  work_id: string;
  sample_no: number;
  file_id: string;
  file_path: string;
  row_no: number | null;
  start_at: number | null;
  end_at: number | null;
  text: string | null;
  /** JSON: the columns of a row. */
  fields: string | null;
  /** Why the sample has nothing to ask about. */
  problem: string | null;
  /** JSON: code and values of the problem. */
  problem_sentence: string | null;
  /** Equal for the same content and path in every run. */
  sample_key: string;
};

export type SynthesisRecordsTable = {
  work_id: string;
  /** `sample_no` times the number of records per sample, plus `turn_no`. */
  record_no: number;
  sample_no: number;
  /** Index of the record within its sample, from 0. */
  turn_no: number;
  /** Equal for the same sample and turn in every run of the task. */
  record_id: string;
  /** Number of the call about this sample. */
  sequence: number;
  verdict: 'KEPT' | 'DROPPED' | 'FAILED';
  reason: string | null;
  /** JSON: code and values of the reason. */
  reason_sentence: string | null;
  /** The code of the reason. */
  reason_code: string | null;
  /** The column at which the record was dropped or failed. */
  column_name: string | null;
  /** JSON: the columns with their values and usage, for a template of columns. */
  made_columns: string | null;
  /** JSON: the record. */
  output: string | null;
  /** The judge's score. */
  score: number | null;
  judgement: string | null;
  /** JSON: what was changed in the replies so that they became JSON that fits; null for nothing. */
  mended: string | null;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  /** Billionths; null if the provider reported no token counts. */
  cost_nano: number | null;
  known: 0 | 1;
  created_at: string;
};

/** What people decided about a record; also applies to later runs. */
export type SynthesisEditsTable = {
  task_id: string;
  record_id: string;
  /** JSON: the record in its edited form. */
  output: string | null;
  review: 'ACCEPTED' | 'REJECTED' | null;
  review_reason: string | null;
  /** The call that replaced the original one after a regeneration. */
  sequence: number | null;
  updated_at: string;
  updated_by: string;
};
