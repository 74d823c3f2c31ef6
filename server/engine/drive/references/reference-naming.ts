import type { DatasetReference } from '../../../operators/index.ts';
import type { ReferenceSource } from '../job.ts';
import type { Recipe } from '../../orders/shard.ts';

/** The recipe for reading a dataset that a step compares with: only that step, and the named field. */
export function recipeOfReference(recipe: Recipe, step: number, { field }: DatasetReference): Recipe {
  const pinned = recipe.steps[step];
  if (pinned === undefined) throw new RangeError(`There is no step ${step}`);
  return { steps: [pinned], onError: 'SET_ASIDE', textField: field ?? null };
}

/** The display name of a dataset, such as `MMLU, version 3`. */
export function nameOfReference({ name }: Pick<ReferenceSource, 'name'>, { version }: DatasetReference): string {
  return version === undefined ? name : `${name}, version ${version}`;
}
