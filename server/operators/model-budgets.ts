import { Type } from 'typebox';
import type { ModelBudget } from './effects.ts';

/** The budget parameters of a step that asks models. */
export const budgetParams = {
  maxCalls: Type.Integer({
    title: 'Budget: calls',
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'Most calls that a run makes for this step, retries included; 0: no limit. What comes after fails',
  }),
  maxTokens: Type.Integer({
    title: 'Budget: tokens',
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000_000,
    description: 'Most tokens of questions and replies in a run of this step; 0: no limit',
  }),
  maxCost: Type.Number({
    title: 'Budget: cost',
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'Most that a run of this step costs, by the prices of the model; 0: no limit',
  }),
};

export const budgetNames = ['maxCalls', 'maxTokens', 'maxCost'] as const;

/** The budget of a step. */
export function budgetOf({ maxCalls, maxTokens, maxCost }: Record<'maxCalls' | 'maxTokens' | 'maxCost', number>) {
  const caps = Object.entries({ maxCalls, maxTokens, maxCost }).filter(([, cap]) => cap > 0);
  return { budget: Object.fromEntries(caps) as ModelBudget };
}
