import { asksModels, findModelParams, type Operator } from '../../operators/index.ts';
import { getOperator } from './samples/chain.ts';
import type { Step, ModelStep } from '../orders/steps.ts';

/** The steps that call models. Throws SetupError if an operator is not installed. */
export function listModelSteps(steps: readonly Step[], operators: readonly Operator[]): ModelStep[] {
  return steps.flatMap((pinned, step) => {
    const operator = getOperator(operators, pinned);
    if (!asksModels(operator)) return [];
    const models = operator.models ?? findModelParams(operator.params).map((name) => String(pinned.params[name]));
    return [{ step, models: [...new Set(models)] }];
  });
}
