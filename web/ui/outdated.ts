import type { ApiError } from '../api/errors.ts';

/** Refusals of what the page offers because it shows an older state; other conflicts say themselves what to do. */
const outdatedCodes = new Set([
  'TASK_RUNNING',
  'TASK_NOT_RUNNING',
  'TASK_CHANGED',
  'NOTHING_TO_RESUME',
  'PROFILE_RUNNING',
  'PROFILE_NOT_RUNNING',
  'CONTENT_CHANGED',
]);

/** Whether the page has to be loaded again before the call can succeed. */
export function isOutdated({ code, sentence }: Pick<ApiError, 'code' | 'sentence'>): boolean {
  return outdatedCodes.has(sentence?.code ?? code);
}
