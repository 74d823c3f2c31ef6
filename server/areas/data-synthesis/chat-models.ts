import { reasonOf } from '../../kernel/reasoned-error.ts';
import { invalid, AppError } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { canFill, modelErrors, type Model, type Models } from '../../models/index.ts';
import type { SynthesisDefinition } from './definition.ts';
import type { RecordColumn } from './schemas/columns.ts';
import { synthesisProblems as problems } from './sentences.ts';
import type { InstructionDefinition } from './schemas/templates.ts';

/** Finds a chat model; throws MODEL_NOT_FOUND, MODEL_WRONG_KIND. */
export async function chatModel(models: Pick<Models, 'registry'>, reference: string): Promise<Model> {
  const model = await models.registry.get(reference);
  if (model.kind !== 'CHAT') throw modelErrors.MODEL_WRONG_KIND({ name: model.name, kind: model.kind, needed: 'CHAT' });
  return model;
}

/** Refuses columns that name a model without chat; throws INVALID_PARAMETER. */
export async function checkColumnModels(
  models: Pick<Models, 'registry'>,
  columns: readonly RecordColumn[] = [],
): Promise<void> {
  for (const [index, { model }] of columns.entries()) {
    if (model === undefined || model === null) continue;
    await chatModel(models, model).catch((error: unknown) => {
      throw error instanceof AppError
        ? invalid(`columns[${index}].model`, parameterProblems.IS_NO_MODEL.reason({ why: reasonOf(error) }))
        : error;
    });
  }
}

/**
 * Refuses a task whose calls would all be useless: the built-in model only fills in questions and cannot grade. Throws
 * INVALID_PARAMETER.
 */
export async function checkFilling(
  models: Pick<Models, 'registry'>,
  { columns, outputSchema }: Pick<InstructionDefinition, 'columns' | 'outputSchema'>,
  { model: taskModel, judge }: { model: string; judge?: string | undefined },
): Promise<void> {
  const isCloze = async (reference: string): Promise<boolean> => {
    const { provider, kind } = await models.registry.get(reference);
    return provider === 'builtin' && kind === 'CHAT';
  };
  const refuse = (field: string, place: string): Error => invalid(field, problems.CLOZE_CAN_NOT_FILL.reason({ place }));
  if (judge !== undefined && (await isCloze(judge))) throw refuse('judge.model', 'judge');
  if (columns === undefined && outputSchema !== null && !canFill(outputSchema) && (await isCloze(taskModel)))
    throw refuse('model', 'outputSchema');
  for (const [index, { kind, model = null, outputSchema: schema = null }] of (columns ?? []).entries()) {
    const asks = kind === 'JUDGE' || (kind === 'MODEL' && schema !== null && !canFill(schema));
    if (asks && (await isCloze(model ?? taskModel))) throw refuse('model', `columns[${index}]`);
  }
}

/**
 * Checks that a task's models exist and, under a cost cap, have prices. Throws MODEL_NOT_FOUND, INVALID_PARAMETER.
 */
export async function checkModels(
  models: Pick<Models, 'registry'>,
  { model, judge, budget, template }: SynthesisDefinition,
): Promise<void> {
  const columns = (template.columns ?? []).flatMap((column) => column.model ?? []);
  for (const reference of new Set([model, ...(judge?.model === undefined ? [] : [judge.model]), ...columns])) {
    const { provider, prices, name } = await models.registry.get(reference);
    if (budget.maxCost !== undefined && prices === null && provider !== 'builtin')
      throw invalid('budget.maxCost', problems.NEEDS_PRICES.reason({ model: name }));
  }
}
