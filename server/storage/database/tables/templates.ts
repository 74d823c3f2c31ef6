/** A named definition from which tasks are created; columns shared by all areas with templates. */
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

/** A list of steps; names are unique except among built-in templates. */
export type CleaningTemplatesTable = TemplateColumns & {
  /** JSON: steps with complete parameters, and an operator version if pinned; otherwise the installed version is used. */
  steps: string;
};

/** The latest version of an instruction template; names are unique. */
export type SynthesisTemplatesTable = TemplateColumns & {
  type: string;
  version: number;
  /** JSON: the instructions that generate records. */
  definition: string;
};
