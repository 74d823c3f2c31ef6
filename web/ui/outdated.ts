import type { ApiError } from '../api/errors.ts';

/** Error codes of actions offered only because the page shows an older state; other conflicts explain themselves. */
const outdatedCodes = new Set([
  'TASK_RUNNING',
  'TASK_NOT_RUNNING',
  'TASK_CHANGED',
  'NOTHING_TO_RESUME',
  'PROFILE_RUNNING',
  'PROFILE_NOT_RUNNING',
  'CONTENT_CHANGED',
]);

/** Whether the page must be reloaded before the call can succeed. */
export function isOutdated({ code, sentence }: Pick<ApiError, 'code' | 'sentence'>): boolean {
  return outdatedCodes.has(sentence?.code ?? code);
}
