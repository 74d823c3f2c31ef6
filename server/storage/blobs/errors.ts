import { AppError, defineErrors, errors } from '../../kernel/errors.ts';
import { isStorageFull } from '../database/sql.ts';

export const blobErrors = defineErrors('blobs', {
  BLOB_MISSING: ['internal', 'The stored bytes of {id} are gone; restore them from a backup'],
  BLOB_DAMAGED: ['internal', 'The stored bytes of {id} are damaged; restore them from a backup'],
});

/** The storage cannot be trusted at the moment; the same call may succeed after a second. */
export function storageUnavailable(cause: unknown): AppError {
  return errors.UNAVAILABLE(
    { problem: 'The storage failed to make data durable and is being checked; try again shortly' },
    { cause, retryAfterSeconds: 1 },
  );
}

/** What a failed write means to the caller: a full disk is his to know, everything else keeps its cause. */
export function asStorageError(error: unknown): Error {
  if (error instanceof AppError) return error;
  if (isStorageFull(error)) return errors.INSUFFICIENT_STORAGE({}, { cause: error });
  return error instanceof Error ? error : new Error('The storage failed', { cause: error });
}
