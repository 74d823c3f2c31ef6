import type { Run } from '../runs/index.ts';
import type { Recipe } from './shards/shard.ts';

/** What the engine stores with a run: what is done with its samples, and what the area needs to know. */
export type RecipeDetails = { recipe: Recipe; details: unknown };

/** A run of the engine's, with both at hand. */
export type RecipeRun = Run & { recipe: Recipe; areaDetails: unknown };

export function recipeRunOf(run: Run): RecipeRun {
  const { recipe, details } = run.details as RecipeDetails;
  return { ...run, recipe, areaDetails: details };
}

export function recipeOf(run: Pick<Run, 'details'>): Recipe {
  return (run.details as RecipeDetails).recipe;
}
