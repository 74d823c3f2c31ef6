/** A message of a conversation. */
export type ChatMessage = { role: 'system' | 'user' | 'assistant'; content: string };

/** A JSON Schema that a reply has to fit. */
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
  /** Which of several replies to the same messages. */
  sequence: number;
  timeoutMs: number;
  signal: AbortSignal | undefined;
};

export type Usage = { input: number; output: number };

/** `usage` is missing where the provider tells none. */
export type ChatReply = { text: string; finishReason: string | null; usage: Usage | undefined };

export type EmbedCall = { texts: readonly string[]; timeoutMs: number; signal: AbortSignal | undefined };

export type EmbedReply = { vectors: Float32Array[]; usage: Usage | undefined };

/** What calls a model, once: no retries, no ledger. Throws ModelCallError. */
export type Provider = {
  /** One request. A schema that the provider refuses to be told is told in another way by a further request. */
  chat(call: ChatCall, way: SchemaWay): Promise<ChatReply>;
  embed(call: EmbedCall): Promise<EmbedReply>;
};

/** How a schema is told to a model, from the surest to what any model takes. */
export const schemaWays = ['json_schema', 'json_object', 'prompt'] as const;
export type SchemaWay = (typeof schemaWays)[number];
