/** The definition of a task of any area; its state is that of its latest run. */
export type TasksTable = {
  id: string;
  /** URL prefix of its area. */
  area: string;
  name: string;
  description: string;
  /** Name in the form of search texts, to sort by. */
  name_key: string;
  /** Name and description in the form of search texts, where keyword search looks. */
  search_text: string;
  /** JSON of the area. */
  definition: string;
  /** Five fields of cron and the time zone that they are read in; null without a schedule. */
  schedule_cron: string | null;
  schedule_timezone: string | null;
  /** Who made the schedule: its runs are theirs. */
  schedule_by: string | null;
  next_run_at: string | null;
  /** Why its latest time passed without a run. */
  schedule_note: string | null;
  last_run_id: string | null;
  created_at: string;
  created_by: string;
  updated_at: string;
  updated_by: string;
};

/** What a task names, so that it can be told who uses a thing. */
export type TaskLinksTable = {
  task_id: string;
  role: 'OPERATOR';
  ref: string;
};
