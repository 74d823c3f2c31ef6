/** A named list of steps to create tasks from. */
export type CleaningTemplatesTable = {
  id: string;
  name: string;
  /** Normalised name for search and sorting; unique except for built-in ones. */
  name_key: string;
  description: string;
  search_text: string;
  /** JSON: steps with complete parameters; an operator version if pinned, else the installed one is used. */
  steps: string;
  /** 1 for templates that come with the service. */
  built_in: number;
  created_at: string;
  created_by: string;
  updated_at: string;
  updated_by: string;
};
