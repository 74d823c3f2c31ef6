import { BudgetExhaustedError, ModelCallError, modelErrors, type Models } from '../../../models/index.ts';
import { ragErrors } from '../errors.ts';

/**
 * Relevance of texts from 0 to 1, from a model that reads each together with the query. Throws RAG_NOT_RERANKED,
 * MODEL_NOT_FOUND, MODEL_WRONG_KIND.
 */
export async function rerankTexts(
  models: Pick<Models, 'rerank' | 'registry'>,
  { model: reference, query, texts }: { model: string; query: string; texts: readonly string[] },
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const model = await models.registry.get(reference);
  if (model.kind !== 'RERANKER')
    throw modelErrors.MODEL_WRONG_KIND({ name: model.name, kind: model.kind, needed: 'RERANKER' });
  try {
    return asShares((await models.rerank(model.id, query, texts, { signal })).scores);
  } catch (error) {
    if (!(error instanceof ModelCallError || error instanceof BudgetExhaustedError)) throw error;
    throw ragErrors.RAG_NOT_RERANKED({ model: model.name, problem: error.reason }, { cause: error });
  }
}

/** Some servers return scores from 0 to 1, others logits, which the logistic function maps to that range. */
export function asShares(scores: readonly number[]): number[] {
  const areShares = scores.every((score) => score >= 0 && score <= 1);
  return areShares ? [...scores] : scores.map((score) => 1 / (1 + Math.exp(-score)));
}
