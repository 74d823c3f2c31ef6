import { asksModels, findModelParams, type Operator } from '../../operators/index.ts';
import { getOperator, type Step } from '../samples/chain.ts';

/** A step that asks models, and those that it names. */
export type ModelStep = { step: number; models: string[] };

/** The steps that ask models. Throws SetupError if an operator is not installed. */
export function listModelSteps(steps: readonly Step[], operators: readonly Operator[]): ModelStep[] {
  return steps.flatMap((pinned, step) => {
    const operator = getOperator(operators, pinned);
    if (!asksModels(operator)) return [];
    const models = operator.models ?? findModelParams(operator.params).map((name) => String(pinned.params[name]));
    return [{ step, models: [...new Set(models)] }];
  });
}
