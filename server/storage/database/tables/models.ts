/** A chat or embedding model that an administrator configured; built-in ones have no row. */
export type ModelsTable = {
  id: string;
  name: string;
  kind: 'CHAT' | 'EMBEDDING' | 'RERANKER';
  provider: 'openai-compatible' | 'builtin';
  base_url: string | null;
  /** The provider's name for the model. */
  model: string;
  /** JSON: prices per million tokens. */
  prices: string | null;
  /** JSON. */
  limits: string;
  created_at: string;
  created_by: string;
  updated_at: string;
  updated_by: string;
};

/** The ledger of calls: a row is written before its call is made. */
export type ModelCallsTable = {
  /** Hash of everything that determines the reply. */
  key: string;
  model_id: string;
  /** PENDING: its owner is making the call. ABANDONED: its owner died, and the outcome is unknown. */
  status: 'PENDING' | 'DONE' | 'FAILED' | 'ABANDONED';
  /** The process that makes the call. */
  owner: string;
  run_id: string | null;
  sample_id: string | null;
  sequence: number;
  /** JSON. */
  request: string;
  /** JSON, once DONE. */
  response: string | null;
  /** Why the call FAILED. */
  cause: string | null;
  /** How many times the request was sent. */
  attempts: number;
  input_tokens: number;
  output_tokens: number;
  /** Billionths of the price currency. */
  cost_nano: number;
  duration_ms: number;
  /** JSON: amounts reserved per budget while a request is in flight. */
  reserved: string | null;
  created_at: string;
  finished_at: string | null;
  /** Day (UTC) of the last use. */
  used_on: string;
};

/** Usage by model, day (UTC) and run; run_id is '' for calls outside a run. */
export type ModelUsageTable = {
  model_id: string;
  day: string;
  run_id: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cost_nano: number;
  /** Calls that may be billed but without token counts from the provider; of the figures above, only `calls` includes them. */
  unreported_calls: number;
};

/** Used and reserved amounts of a budget; each reservation carries its own caps. */
export type ModelBudgetsTable = {
  id: string;
  used_calls: number;
  used_tokens: number;
  used_cost: number;
  reserved_calls: number;
  reserved_tokens: number;
  reserved_cost: number;
};

/** Processes that make calls; a process past its expiry counts as dead. Times in milliseconds. */
export type ModelProcessesTable = { id: string; expires_at: number };

/** Maximum concurrent calls of a model by each process. The row of process '' serves only as a lock. */
export type ModelSlotsTable = {
  model_id: string;
  process_id: string;
  held: number;
  wanted: number;
  expires_at: number;
  /** The provider asked all callers to wait until then. */
  paused_until: number;
};
