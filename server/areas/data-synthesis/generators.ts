import type { Models } from '../../models/index.ts';
import { createColumnGenerator } from './columns/column-generator.ts';
import type { SeedRows } from './columns/seed-rows.ts';
import { createPromptGenerator, type Generator, type SynthesisRecipe } from './generation.ts';

/** Creates the generator for a template: by its prompt, or column by column. */
export function createGenerator(models: Pick<Models, 'chat'>, recipe: SynthesisRecipe, rows: SeedRows): Generator {
  const { columns } = recipe.template;
  return columns === undefined
    ? createPromptGenerator(models, recipe)
    : createColumnGenerator(models, { ...recipe, columns }, rows);
}
