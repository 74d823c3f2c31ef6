/** One message of a question to a model. */
export type ModelMessage = { readonly role: 'system' | 'user'; readonly content: string };

/** Upper bounds of a step's model usage in a run; a missing one means unlimited. */
export type ModelBudget = { readonly maxCalls?: number; readonly maxTokens?: number; readonly maxCost?: number };

/**
 * A step's question to a model. Replies are stored: the same question gets the same reply in every run, and is paid for
 * once.
 */
export type ModelQuestion = {
  /** Id of a model, or the name of a built-in one. */
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly temperature?: number;
  /** Maximum tokens of the reply; default: that of the model. */
  readonly maxTokens?: number;
  /** A JSON Schema that the reply must match. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly budget?: ModelBudget;
};

/** `value`: the parsed text, if a schema was given. `isCut`: the reply reached the token limit. */
export type ModelReply = { readonly text: string; readonly value: unknown; readonly isCut: boolean };

/** Calls of models, made by the main thread: workers have no access to keys. */
export type ModelCalls = {
  /** Throws an Error with a message for users if there is no usable reply; the sample then fails with it. */
  ask(question: ModelQuestion, signal?: AbortSignal): Promise<ModelReply>;
};

/**
 * Effects that batch steps may use; a step declares the names of those it needs (`needs`). To add an effect, add a
 * member here and create it per worker in `server/engine/work/worker-effects.ts`.
 */
export type OperatorEffects = { readonly models: ModelCalls };

/** The name of an effect. */
export type Effect = keyof OperatorEffects;
