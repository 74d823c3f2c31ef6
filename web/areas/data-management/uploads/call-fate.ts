import { ApiError, OfflineError } from '../../../api/errors.ts';

/**
 * What a failed call of an upload calls for: someone signs in again, a pause (no connection, overload, a used-up limit, or a
 * fault of the service up to the fifth time), room on the disk, or nothing that would help.
 */
export type CallFate = 'sign-in' | 'pause' | 'disk-full' | 'final';

const mostTries = 5;

/** `tries`: how often in a row the same call has failed before. */
export function fateOf(error: unknown, tries: number): CallFate {
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
