// Runs that export rows.
import { step, type EngineBench, type RunRecipe } from './engine.ts';
import type { InputFile } from '../../server/engine/index.ts';
import type { RecipeRun } from '../../server/engine/drive/recipe-run.ts';

const steps = [step('whitespace-normalizer', { maxBlankLines: 1 }), step('text-length-filter', { min: 2, max: 1000 })];

/** Executes a run with some steps, which sets failed samples aside, to its end. */
export async function exportRows(
  bench: EngineBench,
  files: readonly InputFile[],
  recipe: Partial<RunRecipe>,
): Promise<RecipeRun> {
  const { id } = await bench.execute(files, { steps, onError: 'SET_ASIDE', ...recipe });
  await bench.engine.start();
  return bench.ended(id);
}
