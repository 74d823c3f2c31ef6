import { causesOfDelay } from '../../kernel/sentences/index.ts';
import { AppError, defineErrors, errors, unavailable } from '../../kernel/errors.ts';
import { isStorageFull } from '../database/sql.ts';
import { isDatabaseUnavailable } from '../database/unavailable.ts';

export const blobErrors = defineErrors('blobs', {
  BLOB_MISSING: ['internal', 'The stored bytes of {id} are missing; restore them from a backup'],
  BLOB_ELSEWHERE: [
    'unavailable',
    'The stored bytes of {id} are not in the data folder of this service. Its database has been used with {folders} other data folders: ask the service on the one that took them in, or restore them from a backup',
  ],
  OBJECT_STORE_REFUSED: [
    'unavailable',
    'The object store refuses this service ({problem}); an administrator must check the bucket of TILTH_STORAGE_URL and the credentials',
  ],
  OBJECT_STORE_UNAVAILABLE: [
    'unavailable',
    'The object store failed although the call was repeated ({problem}); try again',
  ],
  STORAGE_SCRATCH_FULL: [
    'out-of-storage',
    'A copy of {bytes} bytes of stored data does not fit on the disk of this service beside those in use; raise TILTH_STORAGE_SCRATCH_MB ({limit} MiB), or wait until others are done',
  ],
  BLOB_DAMAGED: ['internal', 'The stored bytes of {id} are damaged; restore them from a backup'],
});

/** The storage can't be trusted at the moment; the same call may succeed a second later. */
export function storageUnavailable(cause: unknown): AppError {
  return unavailable(causesOfDelay.STORAGE_CHECKED.reason({}), 1, cause);
}

/** Translates a failed write: a full disk is reported to the caller, any other error keeps its cause. */
export function asStorageError(error: unknown): Error {
  if (error instanceof AppError) return error;
  if (isStorageFull(error)) return errors.INSUFFICIENT_STORAGE({}, { cause: error });
  return error instanceof Error ? error : new Error('The storage failed', { cause: error });
}

/**
 * Whether the database or the object store was away beyond the retries of its calls, or refused them, for any cause of an
 * error. It says nothing about the data that was to be read or written: the same work succeeds later.
 */
export function isStorageAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof AppError && /^OBJECT_STORE_(?:UNAVAILABLE|REFUSED)$/.test(cause.code)) return true;
  return isDatabaseUnavailable(error);
}

/** Whether the process or the machine has too many open files. */
export function hasTooManyFiles(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EMFILE' || code === 'ENFILE';
}

/** The error that a call reports for a disk or database failure; undefined for other errors. */
export function translateStorageError(error: unknown): AppError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (hasTooManyFiles(cause)) return unavailable(causesOfDelay.MANY_OPEN_FILES.reason({}), 1, error);
    if (isStorageFull(cause)) return errors.INSUFFICIENT_STORAGE({}, { cause: error });
    if (isDatabaseUnavailable(cause) || code === 'EIO')
      return unavailable(causesOfDelay.STORAGE_FAILED.reason({}), 1, error);
  }
  return undefined;
}
