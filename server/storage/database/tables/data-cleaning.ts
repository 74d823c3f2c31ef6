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

/** A named list of steps to make tasks of. */
export type CleaningTemplatesTable = {
  id: string;
  name: string;
  /** Name in the form of search texts: unique but for built-in ones, and to sort by. */
  name_key: string;
  description: string;
  search_text: string;
  /** JSON: steps with complete parameters; a version where one is wanted, else the one that is installed. */
  steps: string;
  /** 1 for those that come with the service. */
  built_in: number;
  created_at: string;
  created_by: string;
  updated_at: string;
  updated_by: string;
};
