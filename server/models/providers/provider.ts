/** A message of a conversation. */
export type ChatMessage = { role: 'system' | 'user' | 'assistant'; content: string };

/** A JSON Schema that a reply must match. */
export type ReplySchema = Readonly<Record<string, unknown>>;

export type ChatParameters = {
  temperature?: number;
  topP?: number;
  maxTokens?: number;
  seed?: number;
  stop?: string[];
  frequencyPenalty?: number;
  presencePenalty?: number;
};

export type ChatCall = {
  messages: readonly ChatMessage[];
  parameters: ChatParameters & { maxTokens: number };
  schema: ReplySchema | undefined;
  /** Selects one of several replies to the same messages. */
  sequence: number;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** Receives the text of the reply as it grows, if the provider can stream; the parts add up to the reply's text. */
  onText?: ((part: string) => void) | undefined;
};

export type Usage = { input: number; output: number };

/**
 * `usage` is missing if the provider does not report it. `thinking`: thoughts that it reports separately from the text.
 */
export type ChatReply = {
  text: string;
  thinking: string | null;
  finishReason: string | null;
  usage: Usage | undefined;
};

export type EmbedCall = { texts: readonly string[]; timeoutMs: number; signal: AbortSignal | undefined };

export type EmbedReply = { vectors: Float32Array[]; usage: Usage | undefined };

export type RerankCall = {
  query: string;
  documents: readonly string[];
  timeoutMs: number;
  signal: AbortSignal | undefined;
};

/** One score for each document, in their order. */
export type RerankReply = { scores: number[]; usage: Usage | undefined };

/** Calls a model once: no retries, no ledger. Throws ModelCallError. */
export type Provider = {
  /**
   * Makes one request. If the provider rejects this way of passing the schema, the caller makes another request with
   * the next way.
   */
  chat(call: ChatCall, way: SchemaWay): Promise<ChatReply>;
  embed(call: EmbedCall): Promise<EmbedReply>;
  /** Missing if the provider has no models that rank documents. */
  rerank?(call: RerankCall): Promise<RerankReply>;
};

/** Ways to pass a schema to a model, from the strictest to the one that works with any model. */
export const schemaWays = ['json_schema', 'json_object', 'prompt'] as const;
export type SchemaWay = (typeof schemaWays)[number];
