/** An instruction template in its latest version. */
export type SynthesisTemplatesTable = {
  id: string;
  name: string;
  /** Normalised name: unique, and to sort by. */
  name_key: string;
  description: string;
  /** Normalised name and description for keyword search. */
  search_text: string;
  type: string;
  version: number;
  /** JSON: what makes records. */
  definition: string;
  built_in: 0 | 1;
  created_at: string;
  created_by: string;
  updated_at: string;
  updated_by: string;
};

/** Every version of a template, the latest included. */
export type SynthesisTemplateVersionsTable = {
  template_id: string;
  version: number;
  definition: string;
  created_at: string;
  created_by: string;
};
