import { newId } from '../kernel/ids.ts';
import type { Asker, Made, MakeCall } from './attempts.ts';
import { nanoPerUnit } from './budgets.ts';
import { modelErrors, ModelCallError } from './errors.ts';
import { defaultBatchSize, defaultConcurrency, defaultTimeoutSeconds, type Model } from './model.ts';
import type { Provider, Usage } from './providers/provider.ts';
import type { ModelRegistry } from './registry.ts';
import { maxTokensOf } from './token-estimate.ts';

export type EmbedOptions = Asker & { maxAttempts?: number; timeoutMs?: number };

/** Without usage and cost where the provider told no tokens of a call. */
export type EmbedResult = { vectors: Float32Array[]; usage: Usage | undefined; cost: number | undefined };

/**
 * Vectors of texts, in their order, all of one length. Calls are noted in the ledger only while they are under way: whoever asks keeps
 * the vectors. Throws ModelCallError, BudgetExhaustedError, MODEL_NOT_FOUND.
 */
export type Embeddings = {
  embed(reference: string, texts: readonly string[], options?: EmbedOptions): Promise<EmbedResult>;
};

/** Of one batch, whatever their number. */
const maxBatchCharacters = 200_000;
const defaultMaxAttempts = 5;

export function createEmbeddings({ registry, makeCall }: { registry: ModelRegistry; makeCall: MakeCall }): Embeddings {
  async function embedBatch(
    { model, provider }: { model: Model; provider: Provider },
    texts: readonly string[],
    options: EmbedOptions,
  ) {
    const timeoutMs = options.timeoutMs ?? (model.limits.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
    // Beside what a text has a provider may count a token at its beginning and end.
    const input = texts.reduce((sum, text) => sum + maxTokensOf(text) + 2, 0);
    return makeCall<Float32Array[]>(
      model,
      {
        key: `embed-${newId()}`,
        request: JSON.stringify({ texts: texts.length }),
        sequence: 0,
        worst: { input, output: 0 },
        forget: true,
        maxAttempts: options.maxAttempts ?? defaultMaxAttempts,
        async send() {
          const { vectors, usage } = await provider.embed({ texts, timeoutMs, signal: options.signal });
          return { result: vectors, usage, response: null };
        },
      },
      options,
    );
  }

  return {
    async embed(reference, texts, options = {}) {
      const opened = await registry.open(reference);
      const { model } = opened;
      if (model.kind !== 'EMBEDDING')
        throw modelErrors.MODEL_WRONG_KIND({ name: model.name, kind: model.kind, needed: 'EMBEDDING' });
      const batches = cutBatches(texts, model.limits.batchSize ?? defaultBatchSize);
      const results: Awaited<ReturnType<typeof embedBatch>>[] = [];
      // When one fails the others stop, and none goes on behind the caller's back.
      const failed = new AbortController();
      const signal = options.signal === undefined ? failed.signal : AbortSignal.any([failed.signal, options.signal]);
      let next = 0;
      const work = async (): Promise<void> => {
        for (let index = next++; index < batches.length && !failed.signal.aborted; index = next++)
          results[index] = await embedBatch(opened, batches[index] ?? [], { ...options, signal });
      };
      const lanes = Math.min(batches.length, model.limits.concurrency ?? defaultConcurrency);
      const failures: Error[] = [];
      await Promise.all(
        Array.from({ length: lanes }, () =>
          work().catch((error: unknown) => {
            failures.push(error as Error);
            failed.abort();
          }),
        ),
      );
      const [failure] = failures;
      if (failure !== undefined) throw failure;
      const vectors = results.flatMap(({ result }) => result);
      if (vectors.some(({ length }) => length !== vectors[0]?.length))
        throw new ModelCallError('bad-answer', `${model.name} gives embeddings of different lengths`);
      return {
        vectors,
        ...figuresOf(results),
      };
    },
  };
}

function figuresOf(results: readonly Made<unknown>[]): Pick<EmbedResult, 'usage' | 'cost'> {
  let [input, nano] = [0, 0];
  for (const { usage, costNano } of results) {
    if (usage === undefined || costNano === undefined) return { usage: undefined, cost: undefined };
    input += usage.input;
    nano += costNano;
  }
  return { usage: { input, output: 0 }, cost: nano / nanoPerUnit };
}

function cutBatches(texts: readonly string[], size: number): string[][] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (batch.length > 0 && (batch.length >= size || characters + text.length > maxBatchCharacters)) {
      batches.push(batch);
      batch = [];
      characters = 0;
    }
    batch.push(text);
    characters += text.length;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
