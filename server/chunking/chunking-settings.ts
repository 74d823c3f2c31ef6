import { invalid } from '../kernel/errors.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';
import type { Chunking } from './chunking.ts';
import type { NewChunking } from './schemas.ts';

const defaults: Chunking = { strategy: 'RECURSIVE', size: 800, overlap: 80, unit: 'CHARACTERS' };

/**
 * Merges the given settings into the previous ones or the defaults; throws INVALID_PARAMETER if they contradict each
 * other.
 */
export function chunkingOf(given: NewChunking | undefined, before: Chunking = defaults): Chunking {
  const merged = { ...before, ...given };
  const { strategy, size, unit, separators } = merged;
  // If only a small size is given, the default overlap must not cause a refusal.
  const overlap = given?.overlap ?? Math.min(before.overlap, Math.floor(size / 10));
  if (overlap >= size)
    throw invalid('chunking.overlap', parameterProblems.MUST_BE_LESS_THAN.reason({ limit: `chunking.size (${size})` }));
  if (strategy !== 'CUSTOM_SEPARATOR') return { strategy, size, overlap, unit };
  if (separators === undefined)
    throw invalid(
      'chunking.separators',
      parameterProblems.IS_REQUIRED_WHEN.reason({ other: 'chunking.strategy', value: 'CUSTOM_SEPARATOR' }),
    );
  return { strategy, size, overlap, unit, separators };
}
