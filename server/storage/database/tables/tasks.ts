/** The definition of a task of any area; its state is that of its latest run. */
export type TasksTable = {
  id: string;
  /** URL prefix of its area. */
  area: string;
  name: string;
  description: string;
  /** Normalised name, to sort by. */
  name_key: string;
  /** Normalised name and description for keyword search. */
  search_text: string;
  /** JSON of the area. */
  definition: string;
  /** Five cron fields and their time zone; null without a schedule. */
  schedule_cron: string | null;
  schedule_timezone: string | null;
  /** The user who created the schedule and owns its runs. */
  schedule_by: string | null;
  next_run_at: string | null;
  /** Why its latest scheduled time passed without a run. */
  schedule_note: string | null;
  /** JSON: code and values of the note. */
  schedule_note_sentence: string | null;
  last_run_id: string | null;
  created_at: string;
  created_by: string;
  updated_at: string;
  updated_by: string;
};

/** The objects that a task refers to, so that the users of an object can be listed. */
export type TaskLinksTable = {
  task_id: string;
  role: 'OPERATOR';
  ref: string;
};
