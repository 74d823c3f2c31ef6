/** The definition of a cleaning task; its state is that of its latest run. */
export type CleaningTasksTable = {
  id: string;
  name: string;
  description: string;
  /** Name in the form of search texts, to sort by. */
  name_key: string;
  /** Name and description in the form of search texts, where keyword search looks. */
  search_text: string;
  source_dataset_id: string;
  /** As it was when the task was made, for when the dataset is gone. */
  source_dataset_name: string;
  /** Null: the version that is current when a run starts. */
  source_version: number | null;
  /** Null until the first run has made the dataset. */
  target_dataset_id: string | null;
  target_dataset_name: string;
  /** 1 when the dataset belongs to the task: each run replaces all of its content. */
  owns_target: number;
  /** JSON: steps with pinned operator versions and complete parameters. */
  steps: string;
  /** JSON: what is read. */
  input: string;
  on_error: 'KEEP' | 'DROP';
  last_run_id: string | null;
  created_at: string;
  created_by: string;
  updated_at: string;
  updated_by: string;
};
