export type ModelKind = 'CHAT' | 'EMBEDDING' | 'RERANKER';
export type ModelProvider = 'openai-compatible' | 'builtin';

/** Price per million tokens, in the administrator's currency. */
export type Prices = { input: number; output: number };

/** Upper bounds; a missing one means unlimited. */
export type Caps = { maxCalls?: number; maxTokens?: number; maxCost?: number };

export type ModelLimits = {
  /** Maximum concurrent calls over all runs and processes; fewer while the provider can handle less. */
  concurrency?: number;
  /** Maximum tokens of a reply if the call does not specify it. */
  maxOutputTokens?: number;
  /** Time limit of a call in seconds. */
  timeoutSeconds?: number;
  /** Number of texts embedded per call. */
  batchSize?: number;
  /** Caps per day (UTC). */
  perDay?: Caps;
  /** Caps over all time. */
  total?: Caps;
};

/** A model that can be called. Its API key is stored elsewhere. */
export type Model = {
  id: string;
  name: string;
  kind: ModelKind;
  provider: ModelProvider;
  baseUrl: string | null;
  /** The provider's name for it. */
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

/** Finds a built-in model by id or name. */
export function findBuiltIn(reference: string): Model | undefined {
  return builtInModels.find(({ id, name }) => id === reference || name === reference);
}

/** Identifies a model in the ledger: the same row may later be changed to another model. */
export function identityOf({ id, provider, baseUrl, model }: Model): string {
  return JSON.stringify([id, provider, baseUrl, model]);
}

/** Cost in billionths, rounded up: prices are per million tokens. */
export function costNano(prices: Prices | null, tokens: { input: number; output: number }): number {
  if (prices === null) return 0;
  return Math.ceil(tokens.input * prices.input * 1000 + tokens.output * prices.output * 1000);
}
