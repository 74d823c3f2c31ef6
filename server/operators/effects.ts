/**
 * What steps over batches may use besides their samples; a step declares the names of what it uses (`needs`). None exists
 * so far: a new effect is a member here, made for each worker in `server/engine/workers/worker-effects.ts`.
 */
export type OperatorEffects = Readonly<Record<string, never>>;

/** The name of an effect. */
export type Effect = keyof OperatorEffects;
