import { reasonOf } from '../kernel/reasoned-error.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import { modelSentences as said } from './sentences.ts';
import { AppError } from '../kernel/errors.ts';
import type { Chats } from './chats.ts';
import type { Embeddings } from './embeddings.ts';
import { BudgetExhaustedError, ModelCallError } from './errors.ts';
import type { ModelRegistry } from './registry.ts';
import type { Reranking } from './reranking.ts';

/** Whether a model works, with a message. */
export type ModelTest = { ok: boolean; message: Reason; tookMs: number };

/** Callers wait 60 s at most. */
const longestTestSeconds = 50;
const sentence = 'The soil is tilled in spring, before the seeds are sown in long and even rows.';

/** Makes one tiny call without the ledger and without retries. */
export async function testModel(
  {
    registry,
    chats,
    embeddings,
    reranking,
    pausedUntil,
  }: {
    registry: ModelRegistry;
    chats: Chats;
    embeddings: Embeddings;
    reranking: Reranking;
    /** Until when no call of a model starts, because its provider asked to wait. */
    pausedUntil: (modelId: string) => Date | undefined;
  },
  reference: string,
): Promise<ModelTest> {
  const model = await registry.get(reference);
  const startedAt = performance.now();
  const seconds = Math.min(longestTestSeconds, model.limits.timeoutSeconds ?? longestTestSeconds);
  const signal = AbortSignal.timeout(seconds * 1000);
  const options = { maxAttempts: 1, timeoutMs: seconds * 1000, signal };
  const result = (ok: boolean, message: Reason): ModelTest => ({
    ok,
    message,
    tookMs: Math.round(performance.now() - startedAt),
  });
  const waits = (): ModelTest | undefined => {
    const until = pausedUntil(model.id);
    if (until === undefined) return undefined;
    return result(false, said.MODEL_PAUSED.reason({ model: model.name, time: until.toISOString() }));
  };
  const early = waits();
  if (early !== undefined) return early;
  try {
    if (model.kind === 'EMBEDDING') {
      const { vectors } = await embeddings.embed(reference, [sentence], options);
      return result(true, said.MODEL_EMBEDS.reason({ model: model.name, numbers: vectors[0]?.length ?? 0 }));
    }
    if (model.kind === 'RERANKER') {
      await reranking.rerank(reference, 'When is the soil tilled?', [sentence], options);
      return result(true, said.MODEL_RANKS.reason({ model: model.name }));
    }
    const content = model.builtIn ? sentence : 'Reply with the word OK.';
    const { usage } = await chats.chat(
      reference,
      { messages: [{ role: 'user', content }], parameters: { maxTokens: 16 } },
      { ...options, fresh: true },
    );
    return result(
      true,
      usage === undefined
        ? said.MODEL_ANSWERS_UNCOUNTED.reason({ model: model.name })
        : said.MODEL_ANSWERS.reason({ model: model.name, input: usage.input, output: usage.output }),
    );
  } catch (error) {
    if (error instanceof ModelCallError && error.problem === 'aborted')
      return error.sent
        ? result(false, said.MODEL_SILENT.reason({ model: model.name, seconds }))
        : (waits() ?? result(false, said.MODEL_BUSY.reason({ model: model.name, seconds })));
    if (error instanceof ModelCallError && error.problem === 'timeout' && error.status === undefined)
      return result(false, said.MODEL_SILENT_BECAUSE.reason({ model: model.name, seconds, why: error.reason }));
    if (error instanceof ModelCallError || error instanceof BudgetExhaustedError || error instanceof AppError)
      return result(false, reasonOf(error));
    throw error;
  }
}
