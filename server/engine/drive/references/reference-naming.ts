import type { DatasetReference } from '../../../operators/index.ts';
import type { ReferenceSource } from '../job.ts';
import type { Recipe } from '../../orders/shard.ts';

/** How a dataset that a step compares with is read: by that step alone, and from the named field. */
export function recipeOfReference(recipe: Recipe, step: number, { field }: DatasetReference): Recipe {
  const pinned = recipe.steps[step];
  if (pinned === undefined) throw new RangeError(`There is no step ${step}`);
  return { steps: [pinned], onError: 'SET_ASIDE', textField: field ?? null };
}

/** `MMLU, version 3`: what people are told a sample is of. */
export function nameOfReference({ name }: Pick<ReferenceSource, 'name'>, { version }: DatasetReference): string {
  return version === undefined ? name : `${name}, version ${version}`;
}
