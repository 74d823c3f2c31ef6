import { newId } from '../kernel/ids.ts';
import type { Asker, MakeCall } from './attempts.ts';
import { nanoPerUnit } from './budgets.ts';
import { modelErrors, ModelCallError } from './errors.ts';
import { defaultTimeoutSeconds } from './model.ts';
import type { Usage } from './providers/provider.ts';
import type { ModelRegistry } from './registry.ts';
import { maxTokensOf } from './token-estimate.ts';
import { modelSentences } from './sentences.ts';

export type RerankOptions = Asker & { maxAttempts?: number; timeoutMs?: number };

/** One score for each document, in their order. Without usage and cost if the provider reported no tokens. */
export type RerankResult = { scores: number[]; usage: Usage | undefined; cost: number | undefined };

/**
 * How relevant documents are to a query. Calls are in the ledger only while they run. Throws ModelCallError,
 * BudgetExhaustedError, MODEL_NOT_FOUND.
 */
export type Reranking = {
  rerank(
    reference: string,
    query: string,
    documents: readonly string[],
    options?: RerankOptions,
  ): Promise<RerankResult>;
};

/** Few: a user is waiting for the search. */
const defaultMaxAttempts = 2;
/** Tokens that a provider may count around each pair of query and document. */
const tokensPerPair = 8;

export function createReranking({ registry, makeCall }: { registry: ModelRegistry; makeCall: MakeCall }): Reranking {
  return {
    async rerank(reference, query, documents, options = {}) {
      const { model, provider } = await registry.open(reference);
      if (model.kind !== 'RERANKER')
        throw modelErrors.MODEL_WRONG_KIND({ name: model.name, kind: model.kind, needed: 'RERANKER' });
      const { rerank } = provider;
      if (rerank === undefined)
        throw new ModelCallError('invalid-request', modelSentences.MODEL_RANKS_NOT.reason({ model: model.name }));
      if (documents.length === 0) return { scores: [], usage: { input: 0, output: 0 }, cost: 0 };
      const timeoutMs = options.timeoutMs ?? (model.limits.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
      const perPair = maxTokensOf(query) + tokensPerPair;
      const input = documents.reduce((sum, document) => sum + maxTokensOf(document) + perPair, 0);
      const { result, usage, costNano } = await makeCall<number[]>(
        model,
        {
          key: `rerank-${newId()}`,
          request: JSON.stringify({ documents: documents.length }),
          sequence: 0,
          worst: { input, output: 0 },
          forget: true,
          maxAttempts: options.maxAttempts ?? defaultMaxAttempts,
          async send() {
            const { scores, usage: used } = await rerank({ query, documents, timeoutMs, signal: options.signal });
            return { result: scores, usage: used, response: null };
          },
        },
        options,
      );
      return { scores: result, usage, cost: costNano === undefined ? undefined : costNano / nanoPerUnit };
    },
  };
}
