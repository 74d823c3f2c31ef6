import { AppError } from '../../../kernel/errors.ts';
import { blobErrors } from '../errors.ts';
import { missingObject, NoSuchUploadError, WrongPartsError } from './object-store.ts';

type S3Failure = { name?: string; message?: string; code?: string; $metadata?: { httpStatusCode?: number } };

const refusals = new Set([
  'AccessDenied',
  'AllAccessDisabled',
  'AccountProblem',
  'CredentialsProviderError',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidBucketName',
  'InvalidToken',
  'NoSuchBucket',
  'PermanentRedirect',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
  // versitygw's code for an unknown access key.
  'XAdminUserNotFound',
]);

const wrongBytes = new Set(['BadDigest', 'InvalidPart', 'InvalidPartOrder', 'XAmzContentChecksumMismatch']);

export const nameOf = (error: unknown): string => (error as S3Failure | null)?.name ?? '';
const statusOf = (error: unknown): number | undefined => (error as S3Failure | null)?.$metadata?.httpStatusCode;

export const isPrecondition = (error: unknown): boolean =>
  nameOf(error) === 'PreconditionFailed' || nameOf(error) === 'ConditionalRequestConflict' || statusOf(error) === 412;

export const isRangeBeyondEnd = (error: unknown): boolean =>
  nameOf(error) === 'InvalidRange' || statusOf(error) === 416;

/** Whether a translated error means that the service does not allow the call. */
export const isRefused = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'OBJECT_STORE_REFUSED';

/** Translates an error of the S3 client. */
export function asObjectError(error: unknown, key: string): Error {
  const name = nameOf(error);
  if (name === 'NoSuchUpload') return new NoSuchUploadError(`The upload of ${key} is gone`, { cause: error });
  if (wrongBytes.has(name))
    return new WrongPartsError(`The object store has other bytes of ${key} than were sent`, { cause: error });
  if (name === 'NoSuchKey' || name === 'NotFound') return missingObject(key, error);
  return objectStoreFailed(error);
}

/** The error for a call that was refused, until an administrator acts, or that failed after all retries and may succeed later. */
export function objectStoreFailed(error: unknown): AppError {
  const { name = '', message = '', code } = error as S3Failure;
  const status = statusOf(error);
  const problem =
    name === 'Error' || name === '' || name === 'UnknownError'
      ? (code ?? `status ${status ?? 'none'}: ${message}`)
      : name;
  if (refusals.has(name) || status === 401 || status === 403)
    return blobErrors.OBJECT_STORE_REFUSED(
      { problem: problemOf(name, status) },
      { cause: error, retryAfterSeconds: 30 },
    );
  return blobErrors.OBJECT_STORE_UNAVAILABLE(
    { problem: problem.slice(0, 200) },
    { cause: error, retryAfterSeconds: 2 },
  );
}

const problemOf = (name: string, status: number | undefined): string =>
  refusals.has(name) ? name : `status ${status ?? 'none'}`;
