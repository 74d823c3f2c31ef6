export type { Asker } from './attempts.ts';
export type { ChatOptions, ChatRequest } from './chat-request.ts';
export type { ChatResult } from './chats.ts';
export type { EmbedOptions, EmbedResult } from './embeddings.ts';
export {
  BudgetExhaustedError,
  InvalidReplyError,
  ModelCallError,
  modelErrors,
  UnrepairedReplyError,
  type CallProblem,
} from './errors.ts';
export { canFill, replyWithCloze } from './builtin/cloze-replies.ts';
export { hashEmbedding, hashFeatures } from './builtin/hash-embedding.ts';
export { findBuiltIn } from './model.ts';
export type { Caps, Model, ModelKind, ModelLimits, ModelProvider, Prices } from './model.ts';
export type { ModelTest } from './model-test.ts';
export { createModels, type Models } from './models.ts';
export { countCallsOfRuns } from './queries/calls.ts';
export type { ChatMessage, ChatParameters, ReplySchema } from './providers/provider.ts';
export { onnxPrefix } from './providers/onnx.ts';
export { modelsDirectoryOf, type ModelDefinition, type ModelRegistry } from './registry.ts';
export { modelProblems, modelSentences } from './sentences.ts';
export type { ModelUsage } from './usage.ts';
export { replyCheckOf, type ReplyCheck } from './structured-output.ts';
