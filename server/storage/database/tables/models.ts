/** A chat or embedding model that an administrator set up; those built in stand in no table. */
export type ModelsTable = {
  id: string;
  name: string;
  kind: 'CHAT' | 'EMBEDDING';
  provider: 'openai-compatible' | 'builtin';
  base_url: string | null;
  /** How the provider calls it. */
  model: string;
  /** JSON: price of a million tokens. */
  prices: string | null;
  /** JSON. */
  limits: string;
  created_at: string;
  created_by: string;
  updated_at: string;
  updated_by: string;
};

/** The ledger of calls: a row is there before its call is made. */
export type ModelCallsTable = {
  /** Hash of what decides the reply. */
  key: string;
  model_id: string;
  /** PENDING: being made by its owner. ABANDONED: its owner died, nobody knows how far it came. */
  status: 'PENDING' | 'DONE' | 'FAILED' | 'ABANDONED';
  /** The process that makes it. */
  owner: string;
  run_id: string | null;
  sample_id: string | null;
  sequence: number;
  /** JSON. */
  request: string;
  /** JSON, once it is DONE. */
  response: string | null;
  /** Why it FAILED. */
  cause: string | null;
  /** How often it was sent. */
  attempts: number;
  input_tokens: number;
  output_tokens: number;
  /** Billionths of the currency that prices are in. */
  cost_nano: number;
  duration_ms: number;
  /** JSON: what is reserved of which budgets while a request is under way. */
  reserved: string | null;
  created_at: string;
  finished_at: string | null;
  /** Day (UTC) on which it was asked for last. */
  used_on: string;
};

/** What was called, by model, day (UTC) and run; run_id is '' where no run asked. */
export type ModelUsageTable = {
  model_id: string;
  day: string;
  run_id: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cost_nano: number;
  /** Answered calls of which the provider told no tokens; they are in none of the figures above but `calls`. */
  unreported_calls: number;
};

/** What is used and reserved of a budget; its caps come with each reservation. */
export type ModelBudgetsTable = {
  id: string;
  used_calls: number;
  used_tokens: number;
  used_cost: number;
  reserved_calls: number;
  reserved_tokens: number;
  reserved_cost: number;
};

/** Processes that make calls; one whose time is up is dead. Times in milliseconds. */
export type ModelProcessesTable = { id: string; expires_at: number };

/** How many calls of a model each process may have under way. The row of process '' is only locked. */
export type ModelSlotsTable = {
  model_id: string;
  process_id: string;
  held: number;
  wanted: number;
  expires_at: number;
  /** The provider asked all callers to wait until then. */
  paused_until: number;
};
