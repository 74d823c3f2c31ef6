import { newId } from '../kernel/ids.ts';
import type { Asker, Made, MakeCall } from './attempts.ts';
import { nanoPerUnit } from './budgets.ts';
import { modelErrors, ModelCallError } from './errors.ts';
import { defaultBatchSize, defaultConcurrency, defaultTimeoutSeconds, type Model } from './model.ts';
import type { Provider, Usage } from './providers/provider.ts';
import type { ModelRegistry } from './registry.ts';
import { maxTokensOf } from './token-estimate.ts';
import { modelSentences } from './sentences.ts';

export type EmbedOptions = Asker & {
  maxAttempts?: number;
  timeoutMs?: number;
  /**
   * Stores the vectors from index `from` on as soon as they arrive, so that a kill loses only the calls in progress.
   * Not called for built-in models, whose vectors cost nothing.
   */
  onBatch?(from: number, vectors: readonly Float32Array[]): Promise<void>;
};

/** Without usage and cost if the provider reported no tokens for a call. */
export type EmbedResult = { vectors: Float32Array[]; usage: Usage | undefined; cost: number | undefined };

/**
 * Vectors of texts, in their order, all of the same length. Calls are in the ledger only while they run: the caller
 * stores the vectors. Throws ModelCallError, BudgetExhaustedError, MODEL_NOT_FOUND.
 */
export type Embeddings = {
  embed(reference: string, texts: readonly string[], options?: EmbedOptions): Promise<EmbedResult>;
};

/** Maximum per batch, regardless of the number of texts. */
const maxBatchCharacters = 200_000;
const defaultMaxAttempts = 5;

export function createEmbeddings({ registry, makeCall }: { registry: ModelRegistry; makeCall: MakeCall }): Embeddings {
  async function embedBatch(
    { model, provider }: { model: Model; provider: Provider },
    texts: readonly string[],
    options: EmbedOptions,
  ) {
    const timeoutMs = options.timeoutMs ?? (model.limits.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
    // A provider may count one extra token at the beginning and the end of a text.
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
      // Without the ledger: they cost nothing, and their vectors are always the same.
      if (model.builtIn) return embedFreely(opened.provider, texts, options);
      const batches = cutBatches(texts, model.limits.batchSize ?? defaultBatchSize);
      const results: Awaited<ReturnType<typeof embedBatch>>[] = [];
      // The first failure aborts the other calls, so that none continues after this function has thrown.
      const failed = new AbortController();
      const signal = options.signal === undefined ? failed.signal : AbortSignal.any([failed.signal, options.signal]);
      let next = 0;
      const work = async (): Promise<void> => {
        for (let index = next++; index < batches.length && !failed.signal.aborted; index = next++) {
          const { from, texts: some } = batches[index] ?? { from: 0, texts: [] };
          const made = await embedBatch(opened, some, { ...options, signal });
          results[index] = made;
          await options.onBatch?.(from, made.result);
        }
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
        throw new ModelCallError('bad-answer', modelSentences.MODEL_OTHER_LENGTHS.reason({ model: model.name }));
      return {
        vectors,
        ...figuresOf(results),
      };
    },
  };
}

async function embedFreely(
  provider: Provider,
  texts: readonly string[],
  { signal }: EmbedOptions,
): Promise<EmbedResult> {
  const { vectors, usage } = await provider.embed({ texts, timeoutMs: defaultTimeoutSeconds * 1000, signal });
  signal?.throwIfAborted();
  return { vectors, usage, cost: 0 };
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

function cutBatches(texts: readonly string[], size: number): { from: number; texts: string[] }[] {
  const batches: { from: number; texts: string[] }[] = [];
  let batch: string[] = [];
  let characters = 0;
  for (const [at, text] of texts.entries()) {
    if (batch.length === 0 || batch.length >= size || characters + text.length > maxBatchCharacters) {
      batch = [];
      characters = 0;
      batches.push({ from: at, texts: batch });
    }
    batch.push(text);
    characters += text.length;
  }
  return batches;
}
