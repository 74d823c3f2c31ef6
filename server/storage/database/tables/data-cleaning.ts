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
