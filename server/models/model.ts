export type ModelKind = 'CHAT' | 'EMBEDDING';
export type ModelProvider = 'openai-compatible' | 'builtin';

/** Price of a million tokens, in whatever currency the administrator counts. */
export type Prices = { input: number; output: number };

/** Upper bounds; what is missing is unbounded. */
export type Caps = { maxCalls?: number; maxTokens?: number; maxCost?: number };

export type ModelLimits = {
  /** Most calls under way at once, over all runs and processes; fewer while the provider shows that it bears less. */
  concurrency?: number;
  /** Tokens that a reply may have where a call does not say. */
  maxOutputTokens?: number;
  /** Seconds that a call may take. */
  timeoutSeconds?: number;
  /** Texts that are embedded by one call. */
  batchSize?: number;
  /** Caps of each day (UTC). */
  perDay?: Caps;
  /** Caps of all time. */
  total?: Caps;
};

/** A model that may be called. Its API key is not part of it. */
export type Model = {
  id: string;
  name: string;
  kind: ModelKind;
  provider: ModelProvider;
  baseUrl: string | null;
  /** How the provider calls it. */
  model: string;
  hasSecret: boolean;
  prices: Prices | null;
  limits: ModelLimits;
  builtIn: boolean;
  createdAt: string | null;
  createdBy: string | null;
  updatedAt: string | null;
  updatedBy: string | null;
};

export const defaultConcurrency = 64;
export const defaultMaxOutputTokens = 1024;
export const defaultTimeoutSeconds = 120;
export const defaultBatchSize = 64;

const cloze: Model = {
  id: 'builtin-cloze',
  name: 'builtin:cloze',
  kind: 'CHAT',
  provider: 'builtin',
  baseUrl: null,
  model: 'cloze',
  hasSecret: false,
  prices: null,
  limits: {},
  builtIn: true,
  createdAt: null,
  createdBy: null,
  updatedAt: null,
  updatedBy: null,
};

/** Models that need neither network nor weights. */
export const builtInModels: readonly Model[] = [
  cloze,
  { ...cloze, id: 'builtin-hash-512', name: 'builtin:hash-512', kind: 'EMBEDDING', model: 'hash-512' },
];

/** The built-in model of an id or a name. */
export function findBuiltIn(reference: string): Model | undefined {
  return builtInModels.find(({ id, name }) => id === reference || name === reference);
}

/** What tells one model from another in the ledger: the same row may be pointed at another one later. */
export function identityOf({ id, provider, baseUrl, model }: Model): string {
  return JSON.stringify([id, provider, baseUrl, model]);
}

/** Cost in billionths, rounded up: prices are for a million tokens. */
export function costNano(prices: Prices | null, tokens: { input: number; output: number }): number {
  if (prices === null) return 0;
  return Math.ceil(tokens.input * prices.input * 1000 + tokens.output * prices.output * 1000);
}
