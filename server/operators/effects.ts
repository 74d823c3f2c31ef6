/** One turn of what a model is asked. */
export type ModelMessage = { readonly role: 'system' | 'user'; readonly content: string };

/** Upper bounds of what a step may use of models in a run; a missing one means unlimited. */
export type ModelBudget = { readonly maxCalls?: number; readonly maxTokens?: number; readonly maxCost?: number };

/** What a step asks a model. The same question has the same reply, also in another run: it is stored, and paid for once. */
export type ModelQuestion = {
  /** Id of a model, or the name of a built-in one. */
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly temperature?: number;
  /** Tokens that the reply may have; default: as the model is set up. */
  readonly maxTokens?: number;
  /** A JSON Schema that the reply must match. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly budget?: ModelBudget;
};

/** `value`: the parsed text, if a schema was given. `isCut`: the reply reached its most tokens. */
export type ModelReply = { readonly text: string; readonly value: unknown; readonly isCut: boolean };

/** Calls of models, which the main thread makes: a worker sees no keys. */
export type ModelCalls = {
  /** Throws an Error for people if there is no reply that can be used: the reason why the sample fails. */
  ask(question: ModelQuestion, signal?: AbortSignal): Promise<ModelReply>;
};

/**
 * What steps over batches may use besides their samples; a step declares the names of what it uses (`needs`). A new
 * effect is a member here, made for each worker in `server/engine/work/worker-effects.ts`.
 */
export type OperatorEffects = { readonly models: ModelCalls };

/** The name of an effect. */
export type Effect = keyof OperatorEffects;
