import type { Step } from '../../engine/index.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import { modelProblems, type Model, type Models } from '../../models/index.ts';
import { asksModels, findModelParams, type Operator } from '../../operators/index.ts';

/** Whether any step calls models, which may cost money. */
export function anyAsksModels(operators: readonly Operator[], steps: readonly Step[]): boolean {
  return steps.some(({ operatorId, version }) =>
    operators.some((operator) => operator.id === operatorId && operator.version === version && asksModels(operator)),
  );
}

/**
 * Checks that the models named by steps can answer, and that their cost can be counted against the step's budget.
 * Throws INVALID_PARAMETER naming step and field.
 */
export async function checkStepModels(
  registry: Models['registry'],
  operators: readonly Operator[],
  steps: readonly Step[],
): Promise<void> {
  for (const [index, { operatorId, params }] of steps.entries()) {
    const schema = operators.find(({ id }) => id === operatorId)?.params;
    for (const name of schema === undefined ? [] : findModelParams(schema)) {
      const field = `steps[${index}].params`;
      const model = await getModel(registry, String(params[name]), `${field}.${name}`);
      if (model.kind !== 'CHAT')
        throw invalid(`${field}.${name}`, modelProblems.NO_CHAT_MODEL.reason({ model: model.name, kind: model.kind }));
      if (model.provider === 'builtin')
        throw invalid(`${field}.${name}`, modelProblems.FILLS_IN_ALONE.reason({ model: model.name }));
      if (model.prices === null && Number(params['maxCost'] ?? 0) > 0)
        throw invalid(`${field}.maxCost`, modelProblems.COST_NEEDS_PRICES.reason({ model: model.name }));
    }
  }
}

async function getModel(registry: Models['registry'], reference: string, field: string): Promise<Model> {
  try {
    return await registry.get(reference);
  } catch (error) {
    throw error instanceof AppError ? invalid(field, modelProblems.NAMES_NO_MODEL.reason({ model: reference })) : error;
  }
}
