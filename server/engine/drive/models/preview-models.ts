import { ReasonedError } from '../../../kernel/reasoned-error.ts';
import { BudgetExhaustedError, UnrepairedReplyError, type Models } from '../../../models/index.ts';
import { runSentences } from '../../../kernel/sentences/index.ts';
import type { ModelUse } from '../pools/model-calls.ts';
import { askModel } from './run-models.ts';

/**
 * Model usage of a preview; `known`: replies that were already stored and cost nothing. `cost` is null if not reported.
 */
export type PreviewUsage = {
  calls: number;
  known: number;
  inputTokens: number;
  outputTokens: number;
  cost: number | null;
};

export const noUsage: PreviewUsage = { calls: 0, known: 0, inputTokens: 0, outputTokens: 0, cost: 0 };

/** Maximum number of questions of one preview: a step may have split its samples into many. */
const mostQuestions = 200;

/**
 * Model access for the steps of a preview, and its usage. With `knownOnly` only stored replies are returned, so that
 * looking at a sample of a run costs nothing.
 */
export function createPreviewModels(
  models: Pick<Models, 'chat' | 'registry'>,
  { knownOnly = false }: { knownOnly?: boolean } = {},
): ModelUse & { readonly usage: PreviewUsage } {
  const usage = { ...noUsage };
  let questions = 0;
  return {
    usage,
    async ask(_step, question, signal) {
      questions += 1;
      if (questions > mostQuestions)
        throw new ReasonedError(runSentences.PREVIEW_ASKED_ENOUGH.reason({ limit: mostQuestions }));
      // A repeated preview must get a new reply in place of an unusable stored one.
      const asker = knownOnly ? { budget: { id: 'stored-replies', caps: { maxCalls: 0 } } } : { keepRefusedOf: [] };
      try {
        return await askModel(models, question, { ...asker, signal }, (reply) => {
          if (reply.known) usage.known += 1;
          else usage.calls += 1;
          usage.inputTokens += reply.usage?.input ?? 0;
          usage.outputTokens += reply.usage?.output ?? 0;
          usage.cost = usage.cost === null || reply.cost === undefined ? null : usage.cost + reply.cost;
        });
      } catch (error) {
        if (knownOnly && error instanceof BudgetExhaustedError && !(error instanceof UnrepairedReplyError))
          throw new ReasonedError(runSentences.REPLY_NOT_STORED.reason({}), { cause: error });
        throw error;
      }
    },
  };
}
