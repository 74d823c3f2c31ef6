import { Type } from 'typebox';
import type { ModelBudget } from './effects.ts';

/** The budget parameters of a step that asks models. */
export const budgetParams = {
  maxCalls: Type.Integer({
    title: 'Budget: calls',
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'Maximum calls per run for this step, retries included; 0: no limit. Samples beyond it fail',
  }),
  maxTokens: Type.Integer({
    title: 'Budget: tokens',
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000_000,
    description: 'Maximum prompt and reply tokens per run for this step; 0: no limit',
  }),
  maxCost: Type.Number({
    title: 'Budget: cost',
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'Maximum cost per run for this step, by the prices of the model; 0: no limit',
  }),
};

export const budgetNames = ['maxCalls', 'maxTokens', 'maxCost'] as const;

/** The budget of a step. */
export function budgetOf({ maxCalls, maxTokens, maxCost }: Record<'maxCalls' | 'maxTokens' | 'maxCost', number>) {
  const caps = Object.entries({ maxCalls, maxTokens, maxCost }).filter(([, cap]) => cap > 0);
  return { budget: Object.fromEntries(caps) as ModelBudget };
}
