/** A named definition that tasks are made from, as the areas that have them share it. */
export type TemplateColumns = {
  id: string;
  name: string;
  /** Normalised name for search and sorting. */
  name_key: string;
  description: string;
  /** Normalised name and description for keyword search. */
  search_text: string;
  /** 1 for templates that come with the service. */
  built_in: 0 | 1;
  created_at: string;
  created_by: string;
  updated_at: string;
  updated_by: string;
};

/** A list of steps; its names are unique except for built-in ones. */
export type CleaningTemplatesTable = TemplateColumns & {
  /** JSON: steps with complete parameters; an operator version if pinned, else the installed one is used. */
  steps: string;
};

/** An instruction template in its latest version; its names are unique. */
export type SynthesisTemplatesTable = TemplateColumns & {
  type: string;
  version: number;
  /** JSON: what makes records. */
  definition: string;
};
