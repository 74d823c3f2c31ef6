import { ApiError, OfflineError } from '../../../api/errors.ts';

/**
 * How to react to a failed call of an upload: wait for a new sign-in; pause (no connection, overload, rate limit, or a
 * failure of the service up to the fifth time); wait for disk space; or give up.
 */
export type CallOutcome = 'sign-in' | 'pause' | 'disk-full' | 'final';

const mostTries = 5;

/** `tries`: how often in a row the same call has failed. */
export function outcomeOf(error: unknown, tries: number): CallOutcome {
  if (error instanceof OfflineError) return 'pause';
  if (!(error instanceof ApiError)) return 'final';
  const { status } = error;
  if (status === 401) return 'sign-in';
  if (status === 507) return 'disk-full';
  if (status === 429 || status === 503) return 'pause';
  return status >= 500 && tries < mostTries ? 'pause' : 'final';
}

/** The upload can not continue. */
export function isEnd(error: unknown): error is ApiError {
  return (
    error instanceof ApiError &&
    (error.code === 'UPLOAD_NOT_FOUND' || error.code === 'DATASET_NOT_FOUND' || error.code === 'DATASET_ARCHIVED')
  );
}
