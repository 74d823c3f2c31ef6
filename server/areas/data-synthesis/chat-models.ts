import { invalid, AppError } from '../../kernel/errors.ts';
import { modelErrors, type Model, type Models } from '../../models/index.ts';
import type { RecordColumn } from './column-schemas.ts';

/** A model that can answer; throws MODEL_NOT_FOUND, MODEL_WRONG_KIND. */
export async function chatModel(models: Pick<Models, 'registry'>, reference: string): Promise<Model> {
  const model = await models.registry.get(reference);
  if (model.kind !== 'CHAT') throw modelErrors.MODEL_WRONG_KIND({ name: model.name, kind: model.kind, needed: 'CHAT' });
  return model;
}

/** Refuses columns that name a model which can not answer; throws INVALID_PARAMETER. */
export async function checkColumnModels(
  models: Pick<Models, 'registry'>,
  columns: readonly RecordColumn[] = [],
): Promise<void> {
  for (const [index, { model }] of columns.entries()) {
    if (model === undefined || model === null) continue;
    await chatModel(models, model).catch((error: unknown) => {
      throw error instanceof AppError ? invalid(`columns[${index}].model`, `is no model: ${error.message}`) : error;
    });
  }
}
