import type { Run } from '../../runs/index.ts';
import type { Recipe } from '../orders/shard.ts';

/** What the engine stores with a run: its recipe, and the data of the area. */
export type RecipeDetails = { recipe: Recipe; details: unknown };

/** A run of the engine with its parsed details. */
export type RecipeRun = Run & { recipe: Recipe; areaDetails: unknown };

export function recipeRunOf(run: Run): RecipeRun {
  const { recipe, details } = run.details as RecipeDetails;
  return { ...run, recipe, areaDetails: details };
}

export function recipeOf(run: Pick<Run, 'details'>): Recipe {
  return (run.details as RecipeDetails).recipe;
}
